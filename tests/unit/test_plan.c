/* SPDX-License-Identifier: MIT */
/* How much is measured for a size. */
#include "testing.h"

#include "terms/plan.h"

#define MIB ((size_t)1 << 20)

static void check_fit(bool steady, size_t bytes, int runners, int arenas)
{
    struct plan p = PLAN_DEFAULT;

    p.runners = 3;
    p.arenas = 16;
    if (steady)
        plan_make_steady(&p);
    plan_fit(&p, bytes);
    assert_int_equal(p.runners, runners);
    assert_int_equal(p.arenas, arenas);
    if (steady)
        assert_int_equal(p.min_calls, 48 * runners);
}

static void what_is_large_gets_fewer(void **state)
{
    (void)state;
    check_fit(true, 0, 8, 8);
    check_fit(true, 8 * MIB, 8, 8);
    check_fit(true, 256 * MIB, 8, 4);
    check_fit(true, 1024 * MIB, 4, 2);
    check_fit(true, 12288 * MIB, 1, 2);
}

/* Who asks for three processes gets three. */
static void only_a_steady_plan_has_fewer_processes(void **state)
{
    (void)state;
    check_fit(false, 8 * MIB, 3, 16);
    check_fit(false, 12288 * MIB, 3, 2);
}

static void a_steady_plan_measures_more(void **state)
{
    struct plan usual = PLAN_DEFAULT, steady = PLAN_DEFAULT;

    (void)state;
    plan_make_steady(&steady);
    assert_true(steady.min_calls > 3 * usual.min_calls);
    assert_true(steady.min_calls <= steady.max_calls);
    assert_true(steady.runners <= PLAN_MAX_RUNNERS && steady.arenas <= PLAN_MAX_ARENAS);
}

/* Sessions and runs of other weights are others. */
static void weights_make_another_plan(void **state)
{
    struct plan a = PLAN_DEFAULT, b = PLAN_DEFAULT;
    enum weights found = WEIGHTS_PER_CALL;
    struct err err = ERR_INIT;

    (void)state;
    assert_true(plan_same_calls(&a, &b));
    b.weights = WEIGHTS_FIXED;
    assert_false(plan_same_calls(&a, &b));
    assert_int_equal(weights_parse("--weights", "fixed", &found, &err), 0);
    assert_int_equal(found, WEIGHTS_FIXED);
    assert_int_equal(weights_parse("--weights", "often", &found, &err), -1);
    assert_int_equal(err.kind, ERR_USAGE);
    assert_string_equal(err.text, "--weights takes one of per_call, fixed, seed, not 'often'");
    assert_int_equal(found, WEIGHTS_FIXED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_large_gets_fewer),
        cmocka_unit_test(only_a_steady_plan_has_fewer_processes),
        cmocka_unit_test(a_steady_plan_measures_more),
        cmocka_unit_test(weights_make_another_plan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
