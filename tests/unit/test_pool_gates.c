/* SPDX-License-Identifier: MIT */
/* Gates of a pool whose contents do not all fit: when a law is measured. */
#include "gpu_pool_rig.h"

#include <limits.h>

static int compares_left;

static int compare_until(void *ctx, const struct device_compare *what, struct compare_stats *ret,
                         struct err *err)
{
    if (compares_left-- == 0)
        return fail(err, ERR_SYSTEM, "no more");
    return device_cuda.judge->compare(ctx, what, ret, err);
}

/* A law whose honest run failed is as good as new: whoever brings a content of it next measures it.
 */
static void a_law_that_was_not_measured_is_measured_later(void **state)
{
    AUTO(problem_freep) struct problem *problem = load(sums);
    struct device_judge_ops judge = *device_cuda.judge;
    struct device broken = device_cuda;
    const struct pool_slot *slot;
    struct compare_stats s;
    struct err err = ERR_INIT;
    struct pool p;

    (void)state;
    open_for_one(small(problem), &p);
    judge.compare = compare_until;
    broken.judge = &judge;
    p.device = &broken;
    compares_left = 0;
    assert_false(p.measured[1]);
    assert_int_equal(pool_get(&p, 1, &slot, &err), -1);
    assert_string_equal(err.text, "no more");
    compares_left = 0;
    assert_int_equal(pool_compare(&p, 1, 0, &p.slots[0].data, 0, &s, &err), -1);
    assert_string_equal(err.text, "no more");
    assert_false(p.measured[1]);
    compares_left = INT_MAX;
    assert_int_equal(pool_get(&p, 1, &slot, &err), 0);
    assert_true(p.measured[1]);
    assert_int_equal(pool_compare(&p, 1, 0, &slot->data, 0, &s, &err), 0);
    assert_true(p.gates[1].gate.honest_max > 0);
    pool_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_law_that_was_not_measured_is_measured_later),
    };

    return cmocka_run_group_tests(tests, gpu_pool_set_up, gpu_pool_tear_down);
}
