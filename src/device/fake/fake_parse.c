/* SPDX-License-Identifier: MIT */
#include "device/fake/fake_verb.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TIME_NS 10000

struct word_value {
    const char *word;
    double value;
};

static const struct word_value ops[] = {{"relu", FAKE_OP_RELU},     {"copy", FAKE_OP_COPY},
                                        {"negate", FAKE_OP_NEGATE}, {"zeros", FAKE_OP_ZEROS},
                                        {"nan", FAKE_OP_NAN},       {NULL, 0}};
static const struct word_value signals[] = {
    {"SIGSEGV", SIGSEGV}, {"SIGILL", SIGILL}, {"SIGABRT", SIGABRT}, {NULL, 0}};
static const struct word_value time_units[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};
static const struct word_value byte_units[] = {
    {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {NULL, 0}};
static const struct word_value percent[] = {{"%", 1}, {NULL, 0}};
static const struct word_value no_unit[] = {{"", 1}, {NULL, 0}};

static const struct arg_rule {
    bool is_number; /* a number and a unit among words, else a word alone */
    const struct word_value *words;
    double max;
    const char *example;
} arg_rules[] = {
    [ARG_OP] = {false, ops, 0, "relu, copy, negate, zeros or nan"},
    [ARG_TIME] = {true, time_units, 1e12, "a time such as 41.2us"},
    [ARG_PERCENT] = {true, percent, 100, "a percentage such as 2%"},
    [ARG_STATUS] = {true, no_unit, 255, "a number from 0 to 255"},
    [ARG_SIGNAL] = {false, signals, 0, "SIGSEGV, SIGILL or SIGABRT"},
    [ARG_BYTES] = {true, byte_units, 1e12, "an amount such as 100MB"},
    [ARG_PATH] = {false, NULL, 0, "a path"},
};

static const struct word_value *find_word(const struct word_value *words, const char *word)
{
    for (; words->word; words++) {
        if (!strcmp(words->word, word))
            return words;
    }
    return NULL;
}

/* strtod() would also take "nan", "inf", hexadecimal and a sign. */
static bool split_number(const char *word, double *ret, const char **ret_rest)
{
    char digits[32];
    size_t n = strspn(word, "0123456789.");

    if (n == 0 || n >= sizeof(digits))
        return false;
    memcpy(digits, word, n);
    digits[n] = '\0';

    char *end;

    *ret = strtod(digits, &end);
    *ret_rest = word + n;
    return !*end;
}

static bool parse_arg(const struct arg_rule *rule, const char *word, struct fake_step *step)
{
    double number = 1;
    const char *rest = word;

    if (!rule->words) {
        strncpy(step->path, word, sizeof(step->path) - 1);
        return strlen(word) < sizeof(step->path);
    }
    if (rule->is_number && !split_number(word, &number, &rest))
        return false;

    const struct word_value *unit = find_word(rule->words, rest);

    if (!unit)
        return false;
    step->number = number * unit->value;
    return !rule->is_number || step->number <= rule->max;
}

static const struct fake_verb *find_verb(const char *name)
{
    for (size_t i = 0; i < fake_n_verbs; i++) {
        if (!strcmp(fake_verbs[i].name, name))
            return &fake_verbs[i];
    }
    return NULL;
}

static int unknown_verb(const char *name, int line, struct err *err)
{
    AUTO(freep) const char **names = xcalloc(fake_n_verbs, sizeof(*names));

    for (size_t i = 0; i < fake_n_verbs; i++)
        names[i] = fake_verbs[i].name;

    const char *near = nearest(name, names, fake_n_verbs);

    if (near)
        return fail(err, ERR_INPUT, "line %d: unknown instruction '%.40s'; did you mean '%s'?",
                    line, name, near);
    return fail(err, ERR_INPUT, "line %d: unknown instruction '%.40s'", line, name);
}

/* "at load", "at setup", "at call N"; words[0] is "at". Returns how many words it took, 0: wrong.
 */
static int parse_moment(char *const *words, int n, struct fake_step *step)
{
    const char *rest;
    double call;

    if (n >= 2 && !strcmp(words[1], "load")) {
        step->when = FAKE_AT_LOAD;
        return 2;
    }
    if (n >= 2 && !strcmp(words[1], "setup")) {
        step->when = FAKE_AT_SETUP;
        return 2;
    }
    if (n < 3 || strcmp(words[1], "call") || !split_number(words[2], &call, &rest) || *rest ||
        call < 1 || call > 1e9 || call != floor(call))
        return 0;
    step->when = FAKE_AT_CALL;
    step->call = (uint64_t)call;
    return 3;
}

static int parse_tail(char *const *words, int n, int line, struct fake_step *step, struct err *err)
{
    int used = 0;

    if (n > 0 && !step->verb->set && !strcmp(words[0], "at")) {
        used = parse_moment(words, n, step);
        if (!used)
            return fail(err, ERR_INPUT, "line %d: 'at' takes load, setup or call N", line);
        if (!(step->verb->moments & step->when))
            return fail(err, ERR_INPUT, "line %d: '%s' cannot happen at %s", line, step->verb->name,
                        words[1]);
    }
    if (used < n)
        return fail(err, ERR_INPUT, "line %d: '%.40s' is too much after '%s'", line, words[used],
                    step->verb->name);
    return 0;
}

#define MAX_WORDS 6

static int parse_line(char *const *words, int n, int line, struct fake_program *p, struct err *err)
{
    struct fake_step step = {.verb = find_verb(words[0]), .when = FAKE_AT_CALL};
    int used = 1;

    if (!step.verb)
        return unknown_verb(words[0], line, err);
    step.call = step.verb->default_call;
    if (step.verb->arg != ARG_NONE) {
        const struct arg_rule *rule = &arg_rules[step.verb->arg];

        if (n < 2 || !parse_arg(rule, words[1], &step))
            return fail(err, ERR_INPUT, "line %d: '%s' takes %s", line, words[0], rule->example);
        used = 2;
    }
    if (parse_tail(words + used, n - used, line, &step, err) < 0)
        return -1;
    if (step.verb->set) {
        step.verb->set(p, step.number);
        return 0;
    }
    if (p->n_steps == FAKE_MAX_STEPS)
        return fail(err, ERR_INPUT, "line %d: more than %d instructions", line, FAKE_MAX_STEPS);
    p->steps[p->n_steps++] = step;
    return 0;
}

int fake_program_parse(const char *text, struct fake_program *ret, struct err *err)
{
    struct fake_program p = {.time_ns = DEFAULT_TIME_NS};
    AUTO(freep) char *copy = xstrdup(text);
    char *next = copy;

    for (int line = 1; next; line++) {
        char *at = strsep(&next, "\n"), *words[MAX_WORDS], *word;
        int n = 0;

        at[strcspn(at, "#")] = '\0';
        while ((word = strsep(&at, " \t\r"))) {
            if (*word && n < MAX_WORDS)
                words[n++] = word;
        }
        if (n > 0 && parse_line(words, n, line, &p, err) < 0)
            return -1;
    }
    *ret = p;
    return 0;
}
