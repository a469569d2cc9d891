/* SPDX-License-Identifier: MIT */
/* Options of a command line, from a table. */
#include "testing.h"

#include "base/err.h"
#include "base/opt.h"

#include <string.h>

struct fields {
    bool json;
    int64_t calls;
    double budget;
    const char *device;
    int sizes;
    struct opt_seed seed;
};

static const char *const choices[] = {"small", "full", NULL};

static const struct opt table[] = {
    {"json", 'j', OPT_FLAG, offsetof(struct fields, json), NULL, "machine-readable", NULL, 0, 0},
    {"calls", 'c', OPT_INT, offsetof(struct fields, calls), "N", "how many", NULL, 1, 400},
    {"budget", 0, OPT_DOUBLE, offsetof(struct fields, budget), "S", "seconds", NULL, 0, 0},
    {"device", 'd', OPT_STRING, offsetof(struct fields, device), "DEVICE", "where", NULL, 0, 0},
    {"sizes", 's', OPT_CHOICE, offsetof(struct fields, sizes), "SET", "which", choices, 0, 0},
    {"seed", 0, OPT_SEED, offsetof(struct fields, seed), "N", "to repeat", NULL, 0, 0},
    {0},
};

static const struct {
    const char *line;  /* words split at spaces */
    const char *error; /* NULL: parses */
    int words;
} opt_cases[] = {
    {"eval a b", NULL, 2},
    {"eval a --json b", NULL, 2},
    {"eval --calls 30 --calls=31 -c32 -c 33", NULL, 0},
    {"eval -- --json", NULL, 1},
    {"eval --sizes full -d cpu", NULL, 0},
    {"eval --budget 0.5", NULL, 0},
    {"eval --seed 18446744073709551615 --seed 0x10", NULL, 0},
    {"eval -", NULL, 1},
    {"eval --jsn", "unknown option --jsn; did you mean --json?", 0},
    {"eval -x", "unknown option -x; see --help", 0},
    {"eval --calls", "--calls needs a value (N)", 0},
    {"eval --calls many", "--calls takes a number, not 'many'", 0},
    {"eval --calls 4x", "--calls takes a number, not '4x'", 0},
    {"eval --calls 401", "--calls takes 1 to 400, not '401'", 0},
    {"eval --calls 99999999999999999999", "--calls takes a number, not '99999999999999999999'", 0},
    {"eval --seed -1", "--seed takes a whole number from 0 to 2^64 - 1, not '-1'", 0},
    {"eval --seed=7s", "--seed takes a whole number from 0 to 2^64 - 1, not '7s'", 0},
    {"eval --seed 18446744073709551616",
     "--seed takes a whole number from 0 to 2^64 - 1, not '18446744073709551616'", 0},
    {"eval --json=1", "--json takes no value", 0},
    {"eval --sizes huge", "--sizes takes one of small, full, not 'huge'", 0},
};

static int split(char *line, char **argv)
{
    int n = 0;

    for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
        argv[n++] = word;
    return n;
}

static void options_parse_or_say_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(opt_cases); i++) {
        AUTO(freep) char *line = xstrdup(opt_cases[i].line);
        char *argv[16];
        int argc = split(line, argv), words = -1;
        struct fields f = {0};
        struct err err = ERR_INIT;
        bool help;
        int rc = opt_parse(table, &f, argc, argv, &words, &help, &err);

        if (opt_cases[i].error) {
            assert_int_equal(rc, -1);
            assert_string_equal(err.text, opt_cases[i].error);
            assert_int_equal(err.kind, ERR_USAGE);
        } else {
            assert_int_equal(rc, 0);
            assert_int_equal(words, opt_cases[i].words);
        }
    }
}

static void options_fill_their_fields(void **state)
{
    char line[] = "eval x --json --calls 42 --budget 0.25 --device cuda:1 --sizes full";
    char *argv[16];
    int argc = split(line, argv), words;
    struct fields f = {0};
    struct err err = ERR_INIT;
    bool help;

    (void)state;
    assert_int_equal(opt_parse(table, &f, argc, argv, &words, &help, &err), 0);
    assert_true(f.json);
    assert_int_equal(f.calls, 42);
    assert_true(f.budget == 0.25);
    assert_string_equal(f.device, "cuda:1");
    assert_int_equal(f.sizes, 1);
    assert_string_equal(argv[0], "x");
    assert_false(help);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_parse_or_say_what_is_wrong),
        cmocka_unit_test(options_fill_their_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
