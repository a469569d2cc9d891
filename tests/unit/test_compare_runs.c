/* SPDX-License-Identifier: MIT */
/* What changed between two runs. */
#include "results_rig.h"

#include "results/analyze.h"

static void two_runs(void **state)
{
    static const char *const problems[] = {"p", NULL};
    AUTO(results_freep) struct results *before = new_run(two_models, problems);
    AUTO(results_freep) struct results *after = new_run(two_models, problems);
    AUTO(comparison_release) struct comparison c = {0};

    (void)state;
    add(before, 0, 0, 0, 0, VERDICT_PASS, 8);
    add(before, 0, 0, 1, 0, VERDICT_WRONG, 0);
    add(before, 0, 0, 2, 0, VERDICT_PASS, 1);
    add(before, 1, 0, 0, 0, VERDICT_PASS, 1);
    add(before, 1, 0, 1, 0, VERDICT_INFRA, 0);
    add(after, 0, 0, 0, 0, VERDICT_PASS, 2);  /* four times as fast */
    add(after, 0, 0, 1, 0, VERDICT_PASS, 1);  /* gained */
    add(after, 0, 0, 2, 0, VERDICT_CRASH, 0); /* lost */
    add(after, 1, 0, 0, 0, VERDICT_PASS, 1);
    add(after, 1, 0, 1, 0, VERDICT_PASS, 1); /* was infra: no change */
    add(after, 1, 0, 2, 0, VERDICT_PASS, 1); /* only there */
    analyze_compare(before, after, &c);
    assert_int_equal(c.both, 4);
    assert_int_equal(c.right_before, 3);
    assert_int_equal(c.right_after, 3);
    assert_int_equal(c.n_gained, 1);
    assert_int_equal(c.gained[0].after->sample, 1);
    assert_int_equal(c.n_lost, 1);
    assert_int_equal(c.lost[0].after->sample, 2);
    assert_int_equal(c.timed, 2);
    NEAR(c.ratio, 2); /* sqrt(4 * 1) */
    assert_int_equal(c.faster, 1);
    assert_int_equal(c.slower, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
