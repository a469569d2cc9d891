/* SPDX-License-Identifier: MIT */
/* What an attack's file says of it, and what that makes of a verdict and a time. */
#include "testing.h"

#include "base/fs.h"
#include "cmd/corpus.h"

#include <stdlib.h>
#include <string.h>

#define NAME "204_idea.fake"

/* Of one file, whose second comment is this. */
static int load(const char *comment, struct corpus *ret, struct err *err)
{
    AUTO(freep) char *dir = xstrdup("corpus-XXXXXX");
    AUTO(freep) char *text = xasprintf("/* licence */\n/* %s */\n", comment);

    assert_non_null(mkdtemp(dir));

    AUTO(freep) char *path = fs_join(dir, NAME);

    assert_int_equal(fs_write_atomic(path, text, strlen(text), err), 0);

    int rc = corpus_load(dir, &device_fake, ret, err);

    fs_remove_tree(dir);
    return rc;
}

static void comments_of_python(void **state)
{
    static const char text[] =
        "# licence\n# Sleeps.\n# problem: level1/40\n# expected: wrong: max\n"
        "import torch\n# expected: pass\n";
    AUTO(freep) char *dir = xstrdup("corpus-XXXXXX");
    AUTO(corpus_release) struct corpus c = {NULL, 0};
    struct err err = ERR_INIT;

    (void)state;
    assert_non_null(mkdtemp(dir));

    AUTO(freep) char *path = fs_join(dir, "038_memo.py");

    assert_int_equal(fs_write_atomic(path, text, strlen(text), &err), 0);
    for (int n = 1; n <= 2; n++) { /* a second folder adds to the first */
        must(corpus_load(dir, &device_cpu, &c, &err), &err);
        assert_int_equal(c.n, n);
        assert_string_equal(c.attacks[n - 1].problem, "level1/40");
        assert_string_equal(c.attacks[n - 1].wanted, "wrong: max");
    }
    fs_remove_tree(dir);
}

static void files_for_one_device(void **state)
{
    AUTO(corpus_release) struct corpus c = {0};
    struct err err = ERR_INIT;

    (void)state;
    must(load("A. device: cuda expected: wrong: max", &c, &err), &err);
    assert_int_equal(c.n, 0);
    must(load("A. device: fake expected: wrong: max", &c, &err), &err);
    assert_int_equal(c.n, 1);
    assert_string_equal(c.attacks[0].device, "fake");
}

static void comments_that_are_taken(void **state)
{
    static const struct {
        const char *comment, *problem, *control;
        enum size_set sizes;
        double us, percent;
        int n_expected;
    } cases[] = {
        {"A. expected: wrong: max", "level1/19", NULL, SIZES_SMALL, 0, 0, 1},
        {"A. expected: timeout: between calls or crash: SIGSEGV or crash: CUDA_ERROR_ASSERT",
         "level1/19", NULL, SIZES_SMALL, 0, 0, 3},
        {"A. expected: pass at least 1.5 us", "level1/19", NULL, SIZES_SMALL, 1.5, 0, 1},
        {"A. expected: pass at least 20 us or rejected: late", "level1/19", NULL, SIZES_SMALL, 20,
         0, 2},
        {"A. problem: hard/05 sizes: full expected: pass at least 97.5 % of a/b.c", "hard/05",
         "a/b.c", SIZES_FULL, 0, 97.5, 1},
        {"A. sizes: small expected: rejected: busy or pass at least 90 %\n * of a/b.c or wrong: "
         "max",
         "level1/19", "a/b.c", SIZES_SMALL, 0, 90, 3},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(corpus_release) struct corpus c = {0};
        struct err err = ERR_INIT;

        assert_int_equal(load(cases[i].comment, &c, &err), 0);
        assert_int_equal(c.n, 1);

        const struct attack *a = &c.attacks[0];

        assert_string_equal(a->problem, cases[i].problem);
        assert_int_equal(a->sizes, cases[i].sizes);
        assert_int_equal(a->n_expected, cases[i].n_expected);
        assert_float_equal(a->least_us, cases[i].us, 0);
        assert_int_equal(!a->control, !cases[i].control);
        if (a->control) {
            assert_string_equal(a->control, cases[i].control);
            assert_float_equal(a->least_percent, cases[i].percent, 0);
        }
    }
}

static void comments_that_are_refused(void **state)
{
    static const struct {
        const char *comment, *want;
    } cases[] = {
        {"Nothing.", "does not end with `expected: VERDICT: REASON`"},
        {"expected: failure", "does not end with `expected: VERDICT: REASON`"},
        {"expected: wrong", "does not end with `expected: VERDICT: REASON`"},
        {"expected: wrong: mux", "does not end with `expected: VERDICT: REASON`"},
        {"expected: wrong: busy", "does not end with `expected: VERDICT: REASON`"},
        {"expected: crash: SIGSEVG", "does not end with `expected: VERDICT: REASON`"},
        {"expected: pass at least", "`at least` takes"},
        {"expected: pass at least many us", "`at least` takes `N us` or `N % of FILE`"},
        {"expected: pass at least 300", "`at least` takes"},
        {"expected: pass at least 300 ms", "`at least` takes"},
        {"expected: pass at least 300 usual", "`at least` takes"},
        {"expected: pass at least 0 us", "`at least` takes"},
        {"expected: pass at least nan % of a.c", "`at least` takes"},
        {"expected: pass at least 90 %", "`at least` takes"},
        {"expected: pass at least 90 % of", "`at least` takes"},
        {"expected: pass at least 90 % a.c", "`at least` takes"},
        {"expected: pass at least 90 % of /etc/passwd", "`at least` takes"},
        {"sizes: huge expected: pass", "`sizes` takes one of small, "},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(corpus_release) struct corpus c = {0};
        struct err err = ERR_INIT;

        if (load(cases[i].comment, &c, &err) == 0)
            fail_msg("taken: %s", cases[i].comment);
        assert_int_equal(err.kind, ERR_INPUT);
        assert_non_null(strstr(err.text, NAME));
        assert_non_null(strstr(err.text, cases[i].want));
    }
}

static void times_are_held_against_the_controls(void **state)
{
    static const struct attack_times honest = {2, {100, 10}};
    static const struct {
        enum reason reason;
        struct attack_times times;
        enum attack_outcome want;
    } cases[] = {
        {REASON_NONE, {2, {100, 10}}, ATTACK_CAUGHT},
        {REASON_NONE, {2, {90, 9}}, ATTACK_CAUGHT},
        {REASON_NONE, {2, {89, 10}}, ATTACK_MISSED},
        {REASON_NONE, {2, {200, 8.9}}, ATTACK_MISSED}, /* one size is enough */
        {REASON_NONE, {1, {100}}, ATTACK_MISSED},      /* not all were timed */
        {REASON_NONE, {0, {0}}, ATTACK_MISSED},
        {REASON_REJECTED_BUSY, {2, {1, 1}}, ATTACK_CAUGHT},
        {REASON_REJECTED_LATE, {2, {1, 1}}, ATTACK_OTHERWISE},
        {REASON_INFRA_SYSTEM, {0, {0}}, ATTACK_MISSED},
    };
    AUTO(corpus_release) struct corpus c = {0};
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(load("expected: pass at least 90 % of a.c or rejected: busy", &c, &err), 0);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct verdict v = VERDICT_INIT;

        verdict_change(&v, cases[i].reason);
        assert_int_equal(attack_judge(&c.attacks[0], &v, &cases[i].times, &honest), cases[i].want);
    }
}

static void times_are_held_against_figures(void **state)
{
    static const struct attack_times none = {0, {0}}, slow = {2, {300, 1}}, fast = {2, {299, 400}};
    AUTO(corpus_release) struct corpus c = {0};
    struct verdict v = VERDICT_INIT;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(load("expected: pass at least 300 us", &c, &err), 0);
    assert_int_equal(attack_judge(&c.attacks[0], &v, &slow, &none), ATTACK_CAUGHT);
    assert_int_equal(attack_judge(&c.attacks[0], &v, &fast, &none), ATTACK_MISSED);
    assert_int_equal(attack_judge(&c.attacks[0], &v, &none, &none), ATTACK_MISSED);
}

/* One disturbed control made an attack look faster than it: 70 us beside 85, where it takes 60. */
static void the_least_times_count(void **state)
{
    static const struct attack_times again = {2, {60, 12}}, none = {0, {0}};
    struct attack_times t = {2, {85, 10}};

    (void)state;
    attack_times_least(&t, &again);
    assert_true(t.n == 2 && t.us[0] == 60 && t.us[1] == 10);
    attack_times_least(&t, &none);
    assert_true(t.n == 2 && t.us[0] == 60 && t.us[1] == 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_that_are_taken),
        cmocka_unit_test(comments_of_python),
        cmocka_unit_test(files_for_one_device),
        cmocka_unit_test(comments_that_are_refused),
        cmocka_unit_test(times_are_held_against_the_controls),
        cmocka_unit_test(times_are_held_against_figures),
        cmocka_unit_test(the_least_times_count),
    };

    return cmocka_run_group_tests_name("corpus", tests, NULL, NULL);
}
