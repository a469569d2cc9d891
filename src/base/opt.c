/* SPDX-License-Identifier: MIT */
#include "base/opt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct opt *find(const struct opt *table, const char *name, size_t len, char letter)
{
    for (const struct opt *o = table; o->name; o++) {
        if (letter && o->letter == letter)
            return o;
        if (!letter && strlen(o->name) == len && !strncmp(o->name, name, len))
            return o;
    }
    return NULL;
}

static int unknown(const struct opt *table, const char *word, struct err *err)
{
    const char *names[64];
    size_t n = 0;

    for (const struct opt *o = table; o->name && n < ARRAY_SIZE(names); o++)
        names[n++] = o->name;

    const char *near = nearest(word, names, n);

    if (near)
        return fail(err, ERR_USAGE, "unknown option --%s; did you mean --%s?", word, near);
    return fail(err, ERR_USAGE, "unknown option --%s; see --help", word);
}

static int set_number(const struct opt *o, void *field, const char *value, struct err *err)
{
    char *end = NULL;

    errno = 0;

    double v = o->type == OPT_INT ? (double)strtoll(value, &end, 0) : strtod(value, &end);

    if (end == value || *end || errno)
        return fail(err, ERR_USAGE, "--%s takes a number, not '%s'", o->name, value);
    if ((o->min != 0 || o->max != 0) && !(v >= o->min && v <= o->max))
        return fail(err, ERR_USAGE, "--%s takes %.9g to %.9g, not '%s'", o->name, o->min, o->max,
                    value);
    if (o->type == OPT_INT)
        *(int64_t *)field = strtoll(value, NULL, 0);
    else
        *(double *)field = v;
    return 0;
}

static int set_seed(const struct opt *o, struct opt_seed *field, const char *value, struct err *err)
{
    char *end = NULL;

    errno = 0;
    field->value = strtoull(value, &end, 0);
    field->given = true;
    /* strtoull() takes -1 for 2^64 - 1. */
    if (end == value || *end || errno || strchr(value, '-'))
        return fail(err, ERR_USAGE, "--%s takes a whole number from 0 to 2^64 - 1, not '%s'",
                    o->name, value);
    return 0;
}

static int set_choice(const struct opt *o, void *field, const char *value, struct err *err)
{
    struct buf list = BUF_INIT;

    for (int i = 0; o->choices[i]; i++) {
        if (!strcmp(o->choices[i], value)) {
            *(int *)field = i;
            buf_release(&list);
            return 0;
        }
        buf_addf(&list, "%s%s", i ? ", " : "", o->choices[i]);
    }
    fail(err, ERR_USAGE, "--%s takes one of %s, not '%s'", o->name, buf_str(&list), value);
    buf_release(&list);
    return -1;
}

static int set(const struct opt *o, void *into, const char *value, struct err *err)
{
    void *field = (char *)into + o->offset;

    switch (o->type) {
    case OPT_FLAG:
        *(bool *)field = true;
        return 0;
    case OPT_INT:
    case OPT_DOUBLE:
        return set_number(o, field, value, err);
    case OPT_STRING:
        *(const char **)field = value;
        return 0;
    case OPT_CHOICE:
        return set_choice(o, field, value, err);
    case OPT_SEED:
        return set_seed(o, field, value, err);
    }
    return 0;
}

int opt_parse(const struct opt *table, void *into, int argc, char **argv, int *ret_n,
              bool *ret_help, struct err *err)
{
    int n = 0;
    bool only_words = false;

    *ret_help = false;
    for (int i = 1; i < argc; i++) {
        char *word = argv[i];

        if (only_words || word[0] != '-' || !word[1]) {
            argv[n++] = word;
            continue;
        }
        if (!strcmp(word, "--")) {
            only_words = true;
            continue;
        }
        if (!strcmp(word, "-h") || !strcmp(word, "--help")) {
            *ret_help = true;
            continue;
        }

        bool is_long = word[1] == '-';
        char *equals = is_long ? strchr(word, '=') : NULL;
        size_t len = is_long ? (equals ? (size_t)(equals - word - 2) : strlen(word + 2)) : 0;
        const struct opt *o =
            is_long ? find(table, word + 2, len, 0) : find(table, NULL, 0, word[1]);
        char *value = equals ? equals + 1 : !is_long && word[2] ? word + 2 : NULL;

        if (!o)
            return is_long ? unknown(table, word + 2, err)
                           : fail(err, ERR_USAGE, "unknown option -%c; see --help", word[1]);
        if (o->type == OPT_FLAG && value)
            return fail(err, ERR_USAGE, "--%s takes no value", o->name);
        if (o->type != OPT_FLAG && !value) {
            if (i + 1 >= argc)
                return fail(err, ERR_USAGE, "--%s needs a value (%s)", o->name, o->arg);
            value = argv[++i];
        }
        if (set(o, into, value, err) < 0)
            return -1;
    }
    *ret_n = n;
    return 0;
}

void opt_help(const struct opt *table, struct buf *out)
{
    for (const struct opt *o = table; o->name; o++) {
        char left[64];
        char letter[8] = "    ";

        if (o->letter)
            snprintf(letter, sizeof(letter), "-%c, ", o->letter);
        snprintf(left, sizeof(left), "%s--%s%s%s", letter, o->name, o->arg ? " " : "",
                 o->arg ? o->arg : "");
        buf_addf(out, "  %-26s %s\n", left, o->help);
    }
    buf_addf(out, "  %-26s %s\n", "-h, --help", "this text");
}
