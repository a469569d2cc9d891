/* SPDX-License-Identifier: MIT */
/* A model of a run as the baseline of the others. */
#include "results_rig.h"

#include "results/model_baseline.h"

#include <math.h>

static void a_model_as_baseline(void **state)
{
    static const char *const problems[] = {"p", NULL};
    AUTO(results_freep) struct results *r = new_run(two_models, problems);
    struct model_baseline b;
    struct err err = ERR_INIT;

    (void)state;
    add(r, 0, 0, 0, 0, VERDICT_PASS, 4);
    add(r, 0, 0, 1, 0, VERDICT_PASS, 3);
    add(r, 0, 0, 2, 0, VERDICT_WRONG, 1);
    add(r, 1, 0, 0, 0, VERDICT_PASS, 2);
    assert_int_equal(model_baseline_init(&b, r, "a", &err), 0);
    NEAR(model_baseline_cold_us(&b, "p", "s", "this"), 3);
    assert_true(isnan(model_baseline_cold_us(&b, "p", "s", "another")));
    assert_true(isnan(model_baseline_cold_us(&b, "p", "another size", "this")));
    assert_int_equal(model_baseline_init(&b, r, "c", &err), -1);
    assert_int_equal(err.kind, ERR_INPUT);
}

/* The least of all repeats was taken: a model was slower than itself, and one that had been right
 * once was a baseline. */
static void a_baseline_with_repeats(void **state)
{
    static const char *const problems[] = {"p", NULL};
    AUTO(results_freep) struct results *r = new_run(one_model, problems);
    AUTO(analysis_release) struct analysis a = {0};
    struct model_baseline b;
    const struct analyze_baseline baseline = {"m", model_baseline_cold_us, &b};
    struct err err = ERR_INIT;

    (void)state;
    add(r, 0, 0, 0, 0, VERDICT_INFRA, 0);
    add(r, 0, 0, 0, 1, VERDICT_PASS, 2);
    add(r, 0, 0, 0, 2, VERDICT_PASS, 3);
    add(r, 0, 0, 0, 3, VERDICT_PASS, 9);
    add(r, 0, 0, 1, 0, VERDICT_PASS, 1); /* not right every time: not a right sample */
    add(r, 0, 0, 1, 1, VERDICT_WRONG, 0);
    assert_int_equal(model_baseline_init(&b, r, "m", &err), 0);
    NEAR(model_baseline_cold_us(&b, "p", "s", "this"), 3);
    analyze(r, &baseline, &a);
    NEAR(a.cells[0].speedup.median, 1);
    NEAR(a.ceilings[0].best_cold_us, 3); /* there was none where the first repeat was infra */
}

/* The mean of 4.5 / 4 and 4.5 / 5 is more than 1. */
static void a_model_is_as_fast_as_itself(void **state)
{
    static const char *const problems[] = {"p", NULL};
    AUTO(results_freep) struct results *r = new_run(one_model, problems);
    AUTO(analysis_release) struct analysis a = {0};
    struct model_baseline b;
    struct err err = ERR_INIT;

    (void)state;
    add(r, 0, 0, 0, 0, VERDICT_PASS, 4);
    add(r, 0, 0, 0, 1, VERDICT_PASS, 5);
    assert_int_equal(model_baseline_init(&b, r, "m", &err), 0);

    const struct analyze_baseline baseline = {"m", model_baseline_cold_us, &b};

    analyze(r, &baseline, &a);
    assert_true(a.cells[0].speedup.median == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_baseline_with_repeats),
        cmocka_unit_test(a_model_is_as_fast_as_itself),
        cmocka_unit_test(a_model_as_baseline),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
