/* SPDX-License-Identifier: MIT */
/* covers: src/tensor/arith.c */
/* How fast a device can be: limits from FLOPs, bytes and peaks. */
#include "problem_rig.h"

#include "hardware/calibration.h"
#include "hardware/limits.h"

#include <math.h>

static const struct calibration round_numbers = {
    .read_bytes_s = 1e9,
    .copy_bytes_s = 2e9,
    .flops_s = {[ARITH_FP32] = 1e9, [ARITH_FP64] = 5e8},
    .call_floor_ns = 100};

static void limits_by_hand(void **state)
{
    AUTO(problem_freep)
    struct problem *matmul_p =
        load(HEAD "output('y', matmul(input('a', f32, { N, N }), input('b', f32, { N, N })))");
    AUTO(problem_freep)
    struct problem *relu_p = load(HEAD "output('y', relu(input('x', f32, { N, N })))");
    struct limits l;

    (void)state;
    limits_compute(matmul_p, small(matmul_p), NULL, &round_numbers, 0, false, &l);
    assert_true(l.flops == 2.0 * 32 * 32 * 32);
    assert_true(l.bytes == 3.0 * 32 * 32 * 4);
    assert_string_equal(l.regime, "compute");
    assert_true(fabs(l.floor_ns - 65536) < 1e-6);
    assert_true(fabs(l.physics_ns - 65536 / 1.5) < 1e-6);
    assert_true(fabs(limits_sol(&l, &round_numbers, 131272) - 0.5) < 1e-12);

    limits_compute(relu_p, small(relu_p), NULL, &round_numbers, 0, false, &l);
    assert_string_equal(l.regime, "memory");
    assert_true(fabs(l.floor_ns - 8192 / 2.0) < 1e-6);
    assert_true(fabs(l.physics_ns - 8192 / 3.0) < 1e-6);
    /* What stays in the cache need not have been written when the call ends. */
    limits_compute(relu_p, small(relu_p), NULL, &round_numbers, 4096, false, &l);
    assert_true(fabs(l.physics_ns - 4096 / 3.0) < 1e-6);
}

static void flops_that_algebra_may_remove_are_no_physics(void **state)
{
    AUTO(problem_freep)
    struct problem *chain =
        load(HEAD "local a, b = input('a', f32, { N, N }), input('b', f32, { N, N })\n"
                  "output('y', matmul(matmul(a, b), a))");
    AUTO(problem_freep)
    struct problem *marked =
        load("problem { 'P', level = 1, id = 1, algebra = 'a test' }\n"
             "sizes { full = { N = 256 }, small = { N = 32 } }\n"
             "output('y', matmul(input('a', f32, { N, N }), input('b', f32, { N, N })))");
    struct limits l;

    (void)state;
    limits_compute(chain, small(chain), NULL, &round_numbers, 0, false, &l);
    assert_true(l.physics_ns < l.floor_ns / 10);
    limits_compute(marked, small(marked), NULL, &round_numbers, 0, false, &l);
    assert_true(l.physics_ns < l.floor_ns / 5);
}

/* A device whose every rate is another round number: what a time was divided by can be told. */
static const struct hardware sheet = {.bytes_s = 1e12,
                                      .cache_bytes = 1000,
                                      .flops_s = {
                                          [ARITH_FP64] = 1e12,
                                          [ARITH_FP64_TENSOR] = 2e12,
                                          [ARITH_FP32] = 4e12,
                                          [ARITH_TF32] = 24e12,
                                          [ARITH_BF16] = 60e12,
                                          [ARITH_FP16] = 32e12,
                                          [ARITH_FP8] = 128e12,
                                          [ARITH_INT8] = 256e12,
                                      }};

#define MATMUL(type)                                                                           \
    "problem { 'P', level = 1, id = 1 }\nsizes { full = { N = 1024 }, small = { N = 512 } }\n" \
    "output('y', matmul(input('a', " type ", { N, N }), input('b', " type ", { N, N })))"

#define FLOPS (2.0 * 512 * 512 * 512)

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* peak: the declared class's own unit. physics: the fastest unit that reaches its accuracy, without
 * slack; the bytes never bind here. reach: measured where it was, else the datasheet's. */
static void every_class_has_its_peak(void **state)
{
    static const struct {
        const char *text;
        double peak, physics, reach;
    } cases[] = {
        {MATMUL("f64"), 2e12, 256e12 / 28, 1.5e12}, {MATMUL("f32"), 4e12, 32e12 / 3, 3e12},
        {MATMUL("f16"), 32e12, 32e12, 32e12},       {MATMUL("bf16"), 60e12, 60e12, 40e12},
        {MATMUL("f8e4m3"), 128e12, 128e12, 128e12},
    };
    struct calibration c = {.read_bytes_s = 9e11,
                            .flops_s = {
                                [ARITH_FP64] = 0.9e12,
                                [ARITH_FP64_TENSOR] = 1.5e12,
                                [ARITH_FP32] = 3e12,
                                [ARITH_BF16] = 40e12,
                            }};
    struct hardware fast_memory = sheet;

    (void)state;
    fast_memory.bytes_s = 1e18;
    c.read_bytes_s = 1e18;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(problem_freep) struct problem *p = load(cases[i].text);
        struct limits l;

        limits_compute(p, small(p), &fast_memory, &c, 0, false, &l);
        assert_string_equal(l.regime, "compute");
        assert_true(near(l.floor_ns, 1e9 * FLOPS / cases[i].peak));
        assert_true(near(l.physics_ns, 1e9 * FLOPS / cases[i].physics));
        assert_true(near(l.reach_ns, 1e9 * FLOPS / cases[i].reach));
    }
}

/* The problem's demand goes before the operands' type: fp8 values that are spelt as f32. */
static void a_demanded_class_is_the_peak(void **state)
{
    AUTO(problem_freep)
    struct problem *p =
        load("problem { 'P', level = 1, id = 1 }\nsizes { full = { N = 1024 }, small = { N = 512 } "
             "}\nrequires { tensor = 'fp8' }\n"
             "output('y', matmul(input('a', f32, { N, N }), input('b', f32, { N, N })))");
    struct calibration c = {.read_bytes_s = 1e18};
    struct hardware fast_memory = sheet;
    struct limits l;

    (void)state;
    fast_memory.bytes_s = 1e18;
    limits_compute(p, small(p), &fast_memory, &c, 0, false, &l);
    assert_true(near(l.floor_ns, 1e9 * FLOPS / 128e12));
    assert_true(near(l.physics_ns, 1e9 * FLOPS / 128e12));
}

static void memory_and_convolution_on_a_datasheet(void **state)
{
    AUTO(problem_freep)
    struct problem *relu = load(HEAD "output('y', relu(input('x', f32, { N, N "
                                     "})))");
    AUTO(problem_freep)
    struct problem *conv = load(HEAD "output('y', nn.conv2d('c', 64, 64, { k = 3, pad = 1 "
                                     "})(input('x', f32, { 8, 64, N, N })))");
    struct calibration c = {.read_bytes_s = 5e11, .copy_bytes_s = 8e11, .call_floor_ns = 3};
    struct hardware fast_memory = sheet;
    struct limits l;

    (void)state;
    /* 4096 bytes in and out: at 1 TB/s, no slack; the larger cache keeps its share unwritten. */
    limits_compute(relu, small(relu), &sheet, &c, 0, false, &l);
    assert_string_equal(l.regime, "memory");
    assert_true(near(l.floor_ns, 8.192));
    assert_true(near(l.reach_ns, 10.24));
    assert_true(near(l.physics_ns, 4.096 + 3.096));
    assert_true(near(limits_sol(&l, &c, 26.48), 0.5));
    limits_compute(relu, small(relu), &sheet, &c, 2000, false, &l);
    assert_true(near(l.physics_ns, 4.096 + 2.096));
    /* Winograd saves up to three quarters of the multiplications. */
    fast_memory.bytes_s = 1e18;
    limits_compute(conv, small(conv), &fast_memory, &c, 0, false, &l);
    assert_true(near(l.floor_ns, 1e9 * l.flops / 4e12));
    assert_true(near(l.physics_ns, 1e9 * l.flops / 4 / (32e12 / 3)));
}

/* Back to back, arithmetic is done whatever the cache holds; bytes come from memory only where
 * inputs and outputs exceed it twice. */
static void hot_calls_may_find_their_bytes_in_the_cache(void **state)
{
    AUTO(problem_freep)
    struct problem *matmul_p =
        load(HEAD "output('y', matmul(input('a', f32, { N, N }), input('b', f32, { N, N })))");
    AUTO(problem_freep)
    struct problem *relu_p = load(HEAD "output('y', relu(input('x', f32, { N, N })))");
    struct calibration c = {.read_bytes_s = 5e11, .copy_bytes_s = 8e11};
    struct hardware large_cache = sheet;
    struct limits l;

    (void)state;
    limits_compute(matmul_p, small(matmul_p), NULL, &round_numbers, 1 << 30, false, &l);
    assert_true(near(l.hot_physics_ns, 65536 / 1.5));
    /* 4096 bytes in, 4096 out. */
    limits_compute(relu_p, small(relu_p), NULL, &round_numbers, 4095, false, &l);
    assert_true(near(l.hot_physics_ns, 4097 / 3.0));
    limits_compute(relu_p, small(relu_p), NULL, &round_numbers, 4096, false, &l);
    assert_true(l.hot_physics_ns == 0);
    /* The datasheet's cache counts where it is the larger one. */
    limits_compute(relu_p, small(relu_p), &large_cache, &c, 0, false, &l);
    assert_true(near(l.hot_physics_ns, 4.096 + 3.096));
    large_cache.cache_bytes = 4096;
    limits_compute(relu_p, small(relu_p), &large_cache, &c, 0, false, &l);
    assert_true(l.hot_physics_ns == 0);
}

/* A ReLU of 3.65 us was shown as 0.3 us, less than an empty launch takes. */
static void no_call_is_faster_than_an_empty_kernel(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "output('y', relu(input('x', f32, { N, N })))");
    struct calibration c = round_numbers;
    struct limits l;

    (void)state;
    c.cold_floor_ns = 5000;
    c.hot_floor_ns = 4000;
    limits_compute(p, small(p), NULL, &c, 0, false, &l);
    assert_true(near(l.physics_ns, 4800));
    assert_true(near(l.hot_physics_ns, 3800));
    /* Where bytes take longer, they bind. */
    c.cold_floor_ns = 2900;
    c.hot_floor_ns = 2800;
    limits_compute(p, small(p), NULL, &c, 0, false, &l);
    assert_true(near(l.physics_ns, 8192 / 3.0));
    assert_true(near(l.hot_physics_ns, 8192 / 3.0));
    /* The score is no part of it. */
    assert_true(near(l.floor_ns, 8192 / 2.0));
}

/* An unknown device goes by what it reached; what was not measured there forbids nothing. */
static void an_unknown_device_goes_by_its_rates(void **state)
{
    AUTO(problem_freep) struct problem *p = load(MATMUL("f32"));
    struct calibration c = {.read_bytes_s = 1e18,
                            .flops_s = {[ARITH_FP32] = 4e12, [ARITH_TF32] = 24e12}};
    struct limits l;

    (void)state;
    limits_compute(p, small(p), NULL, &c, 0, false, &l);
    assert_true(near(l.floor_ns, 1e9 * FLOPS / 4e12));
    assert_true(near(l.reach_ns, l.floor_ns));
    assert_true(near(l.physics_ns, 1e9 * FLOPS / 8e12 / 1.5));
    c.partial = true;
    limits_compute(p, small(p), NULL, &c, 0, false, &l);
    assert_true(near(l.physics_ns, 1e9 * l.bytes / 1e18 / 1.5));
}

/* A module may hold fixed weights in fewer bytes, or have them in a cache: the gate leaves them
 * out, the floor does not. */
static void fixed_parameters_are_no_physics(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "local x = input('x', f32, { N })\n"
                                  "output('y', x + sum(param('w', f32, { N, N }), { dim = 1 }))");
    struct limits usual, fixed;

    (void)state;
    limits_compute(p, small(p), NULL, &round_numbers, 0, false, &usual);
    limits_compute(p, small(p), NULL, &round_numbers, 0, true, &fixed);
    assert_true(usual.floor_ns == fixed.floor_ns);
    assert_true(fabs(usual.physics_ns - fixed.physics_ns - 4096 / 3.0) < 1e-6);
    assert_true(fabs(usual.hot_physics_ns - fixed.hot_physics_ns - 4096 / 3.0) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_parameters_are_no_physics),
        cmocka_unit_test(limits_by_hand),
        cmocka_unit_test(every_class_has_its_peak),
        cmocka_unit_test(a_demanded_class_is_the_peak),
        cmocka_unit_test(memory_and_convolution_on_a_datasheet),
        cmocka_unit_test(an_unknown_device_goes_by_its_rates),
        cmocka_unit_test(hot_calls_may_find_their_bytes_in_the_cache),
        cmocka_unit_test(no_call_is_faster_than_an_empty_kernel),
        cmocka_unit_test(flops_that_algebra_may_remove_are_no_physics),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
