/* SPDX-License-Identifier: MIT */
/* How far a claim may be from what the judge's clock saw, and what is hidden beside a call. */
#include "testing.h"

#include "measure/audit.h"

static void claims_against_the_clock(void **state)
{
    (void)state;
    assert_true(audit_cold(100000, 100000, true));
    assert_true(audit_cold(96100, 100000, true)); /* 1 % and 3 us */
    assert_false(audit_cold(95900, 100000, true));
    assert_true(audit_cold(1000, 4000, true)); /* a tiny kernel: the slack is all */
    assert_false(audit_cold(1000, 4100, true));
    assert_true(audit_cold(1000, 11000, false)); /* nothing was held: more of the way counts */
    assert_false(audit_cold(1000, 11200, false));
    assert_true(audit_hot(970000, 1000000));
    assert_false(audit_hot(950000, 1000000));
}

/* The bars, with clocks that differ by as much as they were ever seen to. */
static void lies_are_small(void **state)
{
    static const struct {
        double true_ns, factor;
    } lies[] = {{50e3, 1.2}, {200e3, 1.05}, {500e3, 1.05}, {2e6, 1.05}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(lies); i++)
        assert_false(audit_cold(lies[i].true_ns / lies[i].factor, lies[i].true_ns - 1600, true));
    for (double ns = 5e3; ns <= 5e6; ns *= 2)
        assert_true(audit_cold(ns, ns + 2900, true));
    for (double ns = 5e3; ns <= 2e6; ns *= 2) {
        double batch_ns = ns * audit_hot_count(ns);

        assert_false(audit_hot(batch_ns / 1.05, batch_ns));
        assert_true(audit_hot(batch_ns, 1.02 * batch_ns));
    }
}

static void batches_are_long_enough(void **state)
{
    (void)state;
    assert_int_equal(audit_hot_count(1000), 200);
    assert_int_equal(audit_hot_count(1e6), 20);
    assert_int_equal(audit_hot_count(1e9), 1);
    assert_int_equal(audit_hot_count(0), 200);
}

static void host_bound_is_far_above(void **state)
{
    (void)state;
    assert_true(audit_host_bound(10000, 40000, 0));
    assert_true(audit_host_bound(10000, 0, 40000)); /* hiding it from unheld calls does not help */
    assert_false(audit_host_bound(5000, 20000, 0)); /* 4 times as much, but only 15 us */
    assert_false(audit_host_bound(100000, 190000, 0));
}

static void what_is_hidden_before_the_release_counts(void **state)
{
    (void)state;
    assert_true(audit_beyond(150000, 151000) == 0);
    assert_true(audit_beyond(450000, 150000) == 300000);
    assert_true(audit_beyond(450000, 0) == 0); /* nobody knows what is usual */
    assert_true(audit_shift(148000, 147500, 1000) == 0);
    assert_true(audit_shift(158000, 147000, 1000) == 10000);
    assert_true(audit_shift(158000, 0, 1000) == 0);
}

static void empty_orders_hide_nothing(void **state)
{
    (void)state;
    assert_true(audit_empty_max(12000) == 12000);
    assert_true(audit_empty_max(0) == 50000);
}

static void busy_is_far_above(void **state)
{
    (void)state;
    assert_false(audit_busy(100000, 250000));
    assert_true(audit_busy(100000, 310000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_against_the_clock),
        cmocka_unit_test(lies_are_small),
        cmocka_unit_test(batches_are_long_enough),
        cmocka_unit_test(host_bound_is_far_above),
        cmocka_unit_test(what_is_hidden_before_the_release_counts),
        cmocka_unit_test(empty_orders_hide_nothing),
        cmocka_unit_test(busy_is_far_above),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
