/* SPDX-License-Identifier: MIT */
/* covers: src/base/opt.c */
/* Command lines: one word a line. What is no option keeps its order; nothing is read past a word.
 */
#include "base/opt.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 64

struct options {
    bool flag;
    int64_t number;
    double fraction;
    const char *text;
    int choice;
};

static const char *const choices[] = {"auto", "small", "full", NULL};
static const struct opt table[] = {
    {"flag", 'f', OPT_FLAG, offsetof(struct options, flag), NULL, "a flag", NULL, 0, 0},
    {"number", 'n', OPT_INT, offsetof(struct options, number), "N", "a number", NULL, 1, 100},
    {"fraction", 0, OPT_DOUBLE, offsetof(struct options, fraction), "X", "a fraction", NULL, 0, 1},
    {"text", 't', OPT_STRING, offsetof(struct options, text), "TEXT", "a text", NULL, 0, 0},
    {"choice", 'c', OPT_CHOICE, offsetof(struct options, choice), "SET", "a choice", choices, 0, 0},
    {0},
};

/* What was accepted is what the table allows. */
static void check(const struct options *o, int n, int argc, char **argv)
{
    if (o->number < 0 || o->number > 100 || !(o->fraction >= 0 && o->fraction <= 1) ||
        o->choice < 0 || o->choice > 2 || n < 0 || n >= argc)
        abort();
    for (int i = 0; i < n; i++)
        if (!argv[i])
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(freep) char *text = xstrndup((const char *)data, size);
    char program[] = "eval", *argv[MAX_WORDS + 2] = {program};
    struct options o = {0};
    struct err err = ERR_INIT;
    int argc = 1, n = 0;
    bool help = false;

    for (char *word = strtok(text, "\n"); word && argc <= MAX_WORDS; word = strtok(NULL, "\n"))
        argv[argc++] = word;
    if (opt_parse(table, &o, argc, argv, &n, &help, &err) == 0) {
        fuzz_accepted();
        check(&o, n, argc, argv);
    } else if (!err.text[0]) {
        abort();
    }
    return 0;
}
