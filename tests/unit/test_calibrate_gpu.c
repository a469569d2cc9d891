/* SPDX-License-Identifier: MIT */
/* What is measured of a GPU, on one made of a few functions. */
#include "testing.h"

#include "hardware/calibration.h"

#include <math.h>

/* A GPU as far as calibrate_gpu() sees one. */
static int no_alloc(void *ctx, enum mem_kind kind, size_t bytes, struct mem *ret, struct err *err)
{
    (void)ctx, (void)kind, (void)bytes, (void)ret, (void)err;
    return 0;
}

static void no_free(void *ctx, struct mem *m)
{
    (void)ctx, (void)m;
}

static int slow_copy(void *ctx, struct mem *dst, size_t dst_at, const struct mem *src,
                     size_t src_at, size_t bytes, struct err *err)
{
    (void)ctx, (void)dst, (void)dst_at, (void)src, (void)src_at, (void)bytes, (void)err;
    usleep(100);
    return 0;
}

static int some_rates(void *ctx, struct device_rates *ret, struct err *err)
{
    if (ctx)
        return fail(err, ERR_DEVICE, "no rates today");
    *ret = (struct device_rates){.read_bytes_s = 7, .flops_s = {[ARITH_FP8] = 9}};
    return 0;
}

static void a_gpu_measures_what_it_can(void **state)
{
    struct device_judge_ops ops = {.mem_alloc = no_alloc, .mem_free = no_free, .copy = slow_copy};
    struct calibration c = {.partial = false};
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(calibrate_gpu(&ops, NULL, &c, &err), 0);
    assert_true(c.copy_bytes_s > 0 && isfinite(c.copy_bytes_s));
    assert_true(c.read_bytes_s == 0 && c.flops_s[ARITH_FP32] == 0 && c.partial);
    ops.rates = some_rates;
    assert_int_equal(calibrate_gpu(&ops, NULL, &c, &err), 0);
    assert_true(c.read_bytes_s == 7 && c.flops_s[ARITH_FP8] == 9 && !c.partial);
    assert_int_equal(calibrate_gpu(&ops, &c, &c, &err), -1);
    assert_string_equal(err.text, "no rates today");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_measures_what_it_can),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
