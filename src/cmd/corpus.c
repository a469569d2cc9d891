/* SPDX-License-Identifier: MIT */
#include "cmd/corpus.h"

#include "base/fs.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_MAX_BYTES (1 << 20)

const struct attack_class attack_classes[] = {
    {'A', 37, false, "no work or wrong work"},
    {'B', 53, false, "caching, replay, phases"},
    {'C', 79, false, "timing"},
    {'D', 86, false, "baseline and reference"},
    {'E', 103, false, "harness and results"},
    {'F', 109, false, "precision"},
    {'G', 112, false, "scoring"},
    {'H', 119, false, "static checks"},
    {'I', 128, false, "denial of service"},
    {'J', 199, true, "honest"},
    {'K', 299, false, "our own, and plain faults"},
    {0, 0, false, NULL},
};

const char *const attack_outcome_names[ATTACK_OUTCOMES] = {"caught", "otherwise", "missed",
                                                           "passed", "punished"};

/* --- the second comment --- */

/* In Python comments are lines: the second one is the lines behind the first. */
static char *lines_of_python(const char *text)
{
    AUTO(buf_release) struct buf line = BUF_INIT;

    for (text += strcspn(text, "\n"); text[0] == '\n' && text[1] == '#';) {
        size_t len = strcspn(text + 2, "\n");

        buf_add(&line, text + 2, len);
        text += 2 + len;
    }
    return xstrdup(buf_str(&line)[0] == ' ' ? buf_str(&line) + 1 : buf_str(&line));
}

/* The text of the second comment (the first one is the licence's), in one line. */
static char *comment_of(const char *text)
{
    const char *from = strstr(text, "*/");
    AUTO(buf_release) struct buf line = BUF_INIT;

    from = from ? strstr(from, "/*") : NULL;

    const char *to = from ? strstr(from, "*/") : NULL;

    for (const char *p = from ? from + 2 : ""; to && p < to; p++) {
        bool star = *p == '*' && p[1] == ' ' && line.len && line.ptr[line.len - 1] == ' ';
        bool space = isspace((unsigned char)*p) || star;

        if (!space)
            buf_addch(&line, *p);
        else if (line.len && line.ptr[line.len - 1] != ' ')
            buf_addch(&line, ' ');
    }
    return xstrdup(buf_str(&line));
}

/* The word after `key`, up to the next space; NULL: no such key. */
static char *word_behind(const char *comment, const char *key)
{
    const char *at = strstr(comment, key);

    return at ? xstrndup(at + strlen(key), strcspn(at + strlen(key), " ")) : NULL;
}

/* Length of a code. It may have a space in it ("between calls"). It ends before an "or", before an
 * "at least" or at the end. */
static size_t code_len(const char *text)
{
    const char * or = strstr(text, " or "), *least = strstr(text, " at least ");
    size_t len = strlen(text);

    len = or ? MIN(len, (size_t)(or -text)) : len;
    return least ? MIN(len, (size_t)(least - text)) : len;
}

/* The reason's code after the verdict's name: ": max", or nothing after "pass". */
static const char *take_code(enum verdict_kind kind, const char *text)
{
    if (strncmp(text, ": ", 2) != 0)
        return kind == VERDICT_PASS ? "" : NULL;
    return verdict_find_code(kind, text + 2, code_len(text + 2));
}

static bool take_verdict(const char *text, struct attack *a)
{
    size_t kind_len = strcspn(text, ": ");

    for (int k = 0; k < VERDICT_COUNT; k++) {
        if (strlen(verdict_names[k]) != kind_len || strncmp(verdict_names[k], text, kind_len) != 0)
            continue;

        const char *code = take_code(k, text + kind_len);

        if (!code || a->n_expected == CORPUS_MAX_EXPECTED)
            return false;
        a->expected[a->n_expected].kind = k;
        a->expected[a->n_expected++].code = code;
        return true;
    }
    return false;
}

/* "300 us", "95 % of exemplars/cpu/level1/019_relu/fast.c" */
static bool take_least(const char *text, struct attack *a)
{
    char *end;
    double n = strtod(text, &end);

    if (end == text || !(n > 0))
        return false;
    if (!strncmp(end, " us", 3) && strcspn(end + 3, " ") == 0) {
        a->least_us = n;
        return true;
    }
    a->least_percent = n;
    a->control = strncmp(end, " % of ", 6) ? NULL : xstrndup(end + 6, strcspn(end + 6, " "));
    return a->control && a->control[0] && a->control[0] != '/';
}

/* "wrong: max or wrong: rms", "pass at least 300 us" */
static bool take_expected(const char *text, struct attack *a)
{
    a->wanted = xstrdup(text);
    for (size_t n = strlen(a->wanted); n && a->wanted[n - 1] == ' '; n--)
        a->wanted[n - 1] = '\0';
    for (const char *at = a->wanted; at; at = strstr(at, " or "), at = at ? at + 4 : NULL)
        if (!take_verdict(at, a))
            return false;
    return true;
}

static int parse_expected(const char *comment, struct attack *a, struct err *err)
{
    const char *expected = strstr(comment, "expected: ");
    const char *least = expected ? strstr(expected, "at least") : NULL;

    if (!expected || !take_expected(expected + strlen("expected: "), a))
        return fail(err, ERR_INPUT,
                    "%s: its second comment does not end with `expected: VERDICT: REASON`; see "
                    "attacks/README.md",
                    a->path);
    if (least && !take_least(least + strlen("at least"), a))
        return fail(err, ERR_INPUT,
                    "%s: `at least` takes `N us` or `N %% of FILE`, a file of this tree; see "
                    "attacks/README.md",
                    a->path);
    return 0;
}

/* Sizes are small if none are named. */
static int parse_sizes(const char *comment, struct attack *a, struct err *err)
{
    AUTO(freep) char *word = word_behind(comment, "sizes: ");
    AUTO(buf_release) struct buf names = BUF_INIT;

    a->sizes = SIZES_SMALL;
    if (!word)
        return 0;
    for (int i = 0; size_set_names[i]; i++) {
        if (!strcmp(size_set_names[i], word)) {
            a->sizes = (enum size_set)i;
            return 0;
        }
        buf_addf(&names, "%s%s", i ? ", " : "", size_set_names[i]);
    }
    return fail(err, ERR_INPUT, "%s: `sizes` takes one of %s, not '%s'", a->path, buf_str(&names),
                word);
}

static int parse(const char *text, struct attack *a, struct err *err)
{
    const char *dot = strrchr(a->path, '.');
    bool python = dot && strcmp(dot, ".py") == 0;
    AUTO(freep) char *comment = python ? lines_of_python(text) : comment_of(text);
    AUTO(freep) char *timeout = word_behind(comment, "build timeout: ");

    if (parse_expected(comment, a, err) < 0 || parse_sizes(comment, a, err) < 0)
        return -1;
    a->device = word_behind(comment, "device: ");
    a->problem = word_behind(comment, "problem: ");
    if (!a->problem)
        a->problem = xstrdup(CORPUS_DEFAULT_PROBLEM);
    a->build_timeout_ms = timeout ? atoi(timeout) : 0;
    return 0;
}

/* --- the folder --- */

static const struct attack_class *class_of(int number)
{
    const struct attack_class *c = attack_classes;

    while (c->title && number > c->last_number)
        c++;
    return number > 0 && c->title ? c : NULL;
}

static void attack_release(struct attack *a)
{
    free(a->path);
    free(a->problem);
    free(a->device);
    free(a->wanted);
    free(a->control);
}

static int load_one(const char *dir, const char *name, struct attack *ret, struct err *err)
{
    AUTO(buf_release) struct buf text = BUF_INIT;

    *ret = (struct attack){.path = fs_join(dir, name), .number = atoi(name)};
    ret->name = strrchr(ret->path, '/') + 1;
    ret->in_class = class_of(ret->number);
    if (!ret->in_class)
        return fail(err, ERR_INPUT, "%s: its name does not begin with a number of the catalogue",
                    ret->path);
    if (fs_read(ret->path, SOURCE_MAX_BYTES, &text, err) < 0)
        return -1;
    return parse(buf_str(&text), ret, err);
}

static int by_session(const void *a, const void *b)
{
    const struct attack *x = a, *y = b;
    int order = strcmp(x->problem, y->problem);

    order = order ? order : (x->sizes > y->sizes) - (x->sizes < y->sizes);
    return order ? order : strcmp(x->name, y->name);
}

/* Adds a file, unless it is for another device. */
static int add(const char *dir, const char *name, const struct device *device, struct corpus *c,
               struct err *err)
{
    struct attack a;
    int rc = load_one(dir, name, &a, err);

    if (rc == 0 && a.device && strcmp(a.device, device->name) != 0) {
        attack_release(&a);
        return 0;
    }
    c->attacks = xrealloc(c->attacks, (size_t)(c->n + 1) * sizeof(*c->attacks));
    c->attacks[c->n++] = a;
    return rc;
}

int corpus_load(const char *dir, const struct device *device, struct corpus *ret, struct err *err)
{
    DIR *d = opendir(dir);
    struct dirent *entry;
    int rc = 0;

    if (!d) {
        fail_errno(err, "%s", dir);
        err->kind = ERR_INPUT;
        return -1;
    }
    while (rc == 0 && (entry = readdir(d))) {
        if (device_takes(device, entry->d_name))
            rc = add(dir, entry->d_name, device, ret, err);
    }
    closedir(d);
    if (rc < 0)
        corpus_release(ret);
    else if (ret->n)
        qsort(ret->attacks, (size_t)ret->n, sizeof(*ret->attacks), by_session);
    return rc;
}

void corpus_release(struct corpus *c)
{
    for (int i = 0; i < c->n; i++)
        attack_release(&c->attacks[i]);
    free(c->attacks);
    *c = (struct corpus){NULL, 0};
}

/* --- the outcome --- */

static bool as_expected(const struct attack *a, const struct verdict *v)
{
    for (int i = 0; i < a->n_expected; i++)
        if (a->expected[i].kind == v->kind && strcmp(a->expected[i].code, v->code) == 0)
            return true;
    return false;
}

static bool below_control(const struct attack *a, const struct attack_times *own,
                          const struct attack_times *control)
{
    for (int i = 0; i < own->n && i < control->n; i++)
        if (own->us[i] < control->us[i] * a->least_percent / 100)
            return true;
    return own->n != control->n;
}

/* An attack that was not timed counts as too fast: it has shown no time that is long enough. */
static bool too_fast(const struct attack *a, const struct attack_times *own,
                     const struct attack_times *control)
{
    double first_us = own->n ? own->us[0] : 0;

    return first_us < a->least_us || (a->control && below_control(a, own, control));
}

void attack_times_least(struct attack_times *t, const struct attack_times *again)
{
    for (int i = 0; i < t->n && i < again->n; i++)
        t->us[i] = fmin(t->us[i], again->us[i]);
}

enum attack_outcome attack_judge(const struct attack *a, const struct verdict *v,
                                 const struct attack_times *own, const struct attack_times *control)
{
    bool passed = v->kind == VERDICT_PASS;

    if (a->in_class->honest)
        return passed ? ATTACK_PASSED : ATTACK_PUNISHED;
    if (v->kind == VERDICT_INFRA || (passed && too_fast(a, own, control)))
        return ATTACK_MISSED;
    if (as_expected(a, v))
        return ATTACK_CAUGHT;
    return passed ? ATTACK_MISSED : ATTACK_OTHERWISE;
}
