/* SPDX-License-Identifier: MIT */
/* The judge's pieces that need no runner: gates, layouts, limits, calibrations, pools, admission.
 */
#include "admit_rig.h"
#include "testing.h"

#include "base/fs.h"
#include "judge/arenas.h"
#include "judge/calibration.h"
#include "judge/limits.h"
#include "ops/ops.h"
#include "tensor/philox.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct problem *load(const char *text)
{
    struct problem *p = NULL;
    struct err err = ERR_INIT;

    assert_int_equal(fs_write_atomic("p.lua", text, strlen(text), &err), 0);
    if (problem_load("p.lua", "p", &p, &err) < 0)
        fail_msg("%s", err.text);
    return p;
}

#define HEAD \
    "problem { 'P', level = 1, id = 1 }\nsizes { full = { N = 256 }, small = { N = 32 } }\n"

static const struct graph *small(const struct problem *p)
{
    return p->sizes[SIZES_SMALL][0].graph;
}

/* --- gates --- */

static void factors_by_dtype_and_convolution(void **state)
{
    static const struct {
        const char *text;
        double rms, max;
    } cases[] = {
        {HEAD "output('y', relu(input('x', f32, { N, N })))", 8, 16},
        {HEAD "output('y', relu(input('x', bf16, { N, N })))", 4, 8},
        {HEAD
         "output('y', nn.conv2d('c', 4, 4, { k = 3, pad = 1 })(input('x', f32, { 1, 4, N, N })))",
         32, 64},
        {HEAD "output('y', nn.conv2d('c', 4, 4, { k = 3, stride = 2 })(input('x', f32, { 1, 4, N, "
              "N })))",
         8, 16},
        {HEAD "tolerance { rms = 3, max = 5, why = 'a test' }\n"
              "output('y', relu(input('x', f32, { N, N })))",
         3, 5},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(problem_freep) struct problem *p = load(cases[i].text);
        const struct graph *g = small(p);
        struct gate gate;

        gate_factors(g, g->nodes[g->outputs[0].node].dtype, &gate);
        assert_true(gate.rms_factor == cases[i].rms);
        assert_true(gate.max_factor == cases[i].max);
    }
}

static void honest_error_has_floors(void **state)
{
    struct gate gate = {8, 16, 0, 0};
    struct compare_stats none = COMPARE_STATS_INIT;

    (void)state;
    none.count = 10;
    gate_set_honest(&gate, DT_F32, &none);
    assert_true(gate.honest_rms == 0x1p-25);
    assert_true(gate.honest_max == 0x1p-24);
}

static void gate_calls(void **state)
{
    struct gate gate = {8, 16, 1e-7, 1e-6};
    struct shape shape = {2, {4, 8}};
    struct verdict v = VERDICT_INIT;
    struct compare_stats s = COMPARE_STATS_INIT;

    (void)state;
    s.count = 32;
    s.max = 16e-6;
    assert_int_equal(gate_call(&gate, "y", &shape, DT_F32, &s, &v), 0);
    s.max = 16.1e-6;
    s.max_at = 13;
    assert_int_equal(gate_call(&gate, "y", &shape, DT_F32, &s, &v), 1);
    assert_string_equal(v.reason, "max");
    assert_non_null(strstr(v.detail, "y[1, 5] is"));
    s.max = NAN;
    assert_int_equal(gate_call(&gate, "y", &shape, DT_F32, &s, &v), 1);
    s.max = 0;
    s.n_nonfinite = 1;
    s.first_nonfinite = 31;
    assert_int_equal(gate_call(&gate, "y", &shape, DT_F32, &s, &v), 1);
    assert_string_equal(v.reason, "nonfinite");
    assert_non_null(strstr(v.detail, "first [3, 7]"));
    s = (struct compare_stats)COMPARE_STATS_INIT;
    s.n_unequal = 2;
    s.first_unequal = 8;
    assert_int_equal(gate_call(&gate, "y", &shape, DT_I64, &s, &v), 1);
    assert_string_equal(v.reason, "unequal");

    s = (struct compare_stats)COMPARE_STATS_INIT;
    s.count = 100;
    s.sum_sq = 100 * 64e-14; /* rho = 8e-7 */
    assert_int_equal(gate_pooled(&gate, "y", DT_F32, &s, &v), 0);
    s.sum_sq *= 1.01;
    assert_int_equal(gate_pooled(&gate, "y", DT_F32, &s, &v), 1);
    assert_string_equal(v.reason, "rms");
}

/* --- layouts --- */

static void guards_find_damage_and_whose_it_is(void **state)
{
    AUTO(problem_freep)
    struct problem *p =
        load(HEAD "local x = input('x', f32, { N, 3 })\noutput('a', x + 1)\noutput('b', x * 2)");
    const struct device_judge_ops *ops = device_cpu.judge;
    struct layout l;
    struct mem m = MEM_INIT;
    struct err err = ERR_INIT;
    void *ctx = NULL;
    int slot;
    int64_t distance;

    (void)state;
    layout_outputs(small(p), &l);
    assert_int_equal(l.n, 2);
    assert_int_equal(l.slots[0].offset % 256, 0);
    assert_true(l.slots[1].offset >= l.slots[0].offset + l.slot_bytes[0] + GUARD_BYTES);
    assert_int_equal(ops->open(0, &ctx, &err), 0);
    assert_int_equal(ops->mem_alloc(ctx, MEM_OUTPUT, l.bytes, &m, &err), 0);

    static const struct {
        int slot;
        int64_t distance; /* from the start when negative, from the end otherwise */
    } cases[] = {{0, -1}, {0, -16}, {0, 0}, {0, 100}, {1, -1}, {1, 0}, {1, 15}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_int_equal(layout_poison(ops, ctx, &l, &m, false, 7 + i, &err), 0);
        assert_int_equal(layout_check_guards(ops, ctx, &l, &m, 7 + i, &slot, &distance, &err), 0);
        assert_int_equal(slot, -1);
        assert_true(layout_unwritten(ops, ctx, &l, &m, 1, 8, 4, 7 + i));
        memset((char *)m.host + l.slots[1].offset, 1,
               l.slot_bytes[1]); /* a tensor may be written */
        assert_false(layout_unwritten(ops, ctx, &l, &m, 1, 8, 4, 7 + i));

        size_t end = l.slots[cases[i].slot].offset +
                     (cases[i].distance < 0 ? 0 : l.slot_bytes[cases[i].slot]);

        ((char *)m.host)[(int64_t)end + cases[i].distance] ^= 1;
        assert_int_equal(layout_check_guards(ops, ctx, &l, &m, 7 + i, &slot, &distance, &err), 0);
        assert_int_equal(slot, cases[i].slot);
        assert_int_equal(distance, cases[i].distance);
    }
    ops->mem_free(ctx, &m);
    ops->close(ctx);
    layout_release(&l);
}

/* --- limits --- */

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
    limits_compute(matmul_p, small(matmul_p), NULL, &round_numbers, 0, &l);
    assert_true(l.flops == 2.0 * 32 * 32 * 32);
    assert_true(l.bytes == 3.0 * 32 * 32 * 4);
    assert_string_equal(l.regime, "compute");
    assert_true(fabs(l.floor_ns - 65536) < 1e-6);
    assert_true(fabs(l.physics_ns - 65536 / 1.5) < 1e-6);
    assert_true(fabs(limits_sol(&l, &round_numbers, 131272) - 0.5) < 1e-12);

    limits_compute(relu_p, small(relu_p), NULL, &round_numbers, 0, &l);
    assert_string_equal(l.regime, "memory");
    assert_true(fabs(l.floor_ns - 8192 / 2.0) < 1e-6);
    assert_true(fabs(l.physics_ns - 8192 / 3.0) < 1e-6);
    /* What stays in the cache need not have been written when the call ends. */
    limits_compute(relu_p, small(relu_p), NULL, &round_numbers, 4096, &l);
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
    limits_compute(chain, small(chain), NULL, &round_numbers, 0, &l);
    assert_true(l.physics_ns < l.floor_ns / 10);
    limits_compute(marked, small(marked), NULL, &round_numbers, 0, &l);
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

        limits_compute(p, small(p), &fast_memory, &c, 0, &l);
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
    limits_compute(p, small(p), &fast_memory, &c, 0, &l);
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
    limits_compute(relu, small(relu), &sheet, &c, 0, &l);
    assert_string_equal(l.regime, "memory");
    assert_true(near(l.floor_ns, 8.192));
    assert_true(near(l.reach_ns, 10.24));
    assert_true(near(l.physics_ns, 4.096 + 3.096));
    assert_true(near(limits_sol(&l, &c, 26.48), 0.5));
    limits_compute(relu, small(relu), &sheet, &c, 2000, &l);
    assert_true(near(l.physics_ns, 4.096 + 2.096));
    /* Winograd saves up to three quarters of the multiplications. */
    fast_memory.bytes_s = 1e18;
    limits_compute(conv, small(conv), &fast_memory, &c, 0, &l);
    assert_true(near(l.floor_ns, 1e9 * l.flops / 4e12));
    assert_true(near(l.physics_ns, 1e9 * l.flops / 4 / (32e12 / 3)));
}

/* An unknown device goes by what it reached; what was not measured there forbids nothing. */
static void an_unknown_device_goes_by_its_rates(void **state)
{
    AUTO(problem_freep) struct problem *p = load(MATMUL("f32"));
    struct calibration c = {.read_bytes_s = 1e18,
                            .flops_s = {[ARITH_FP32] = 4e12, [ARITH_TF32] = 24e12}};
    struct limits l;

    (void)state;
    limits_compute(p, small(p), NULL, &c, 0, &l);
    assert_true(near(l.floor_ns, 1e9 * FLOPS / 4e12));
    assert_true(near(l.reach_ns, l.floor_ns));
    assert_true(near(l.physics_ns, 1e9 * FLOPS / 8e12 / 1.5));
    c.partial = true;
    limits_compute(p, small(p), NULL, &c, 0, &l);
    assert_true(near(l.physics_ns, 1e9 * l.bytes / 1e18 / 1.5));
}

/* --- calibrations --- */

static void calibrations_are_kept_by_fingerprint(void **state)
{
    struct calibration c = round_numbers, back;
    struct err err = ERR_INIT;
    static const char *const broken[] = {
        "",
        "{}",
        "[1]",
        "{\"fingerprint\": 3}",
        "{\"fingerprint\": \"abc\", \"device\": \"d\", \"created\": \"t\", \"read_bytes_s\": -1}",
    };

    (void)state;
    snprintf(c.fingerprint, sizeof(c.fingerprint), "abc");
    snprintf(c.device, sizeof(c.device), "d");
    snprintf(c.created, sizeof(c.created), "t");
    fs_remove_tree("cal");
    assert_int_equal(calibration_load("cal", "abc", &back, &err), 1);
    assert_int_equal(calibration_save("cal", &c, &err), 0);
    assert_int_equal(calibration_load("cal", "abc", &back, &err), 0);
    assert_true(back.flops_s[ARITH_FP64] == 5e8 && back.call_floor_ns == c.call_floor_ns);
    assert_int_equal(calibration_load("cal", "other", &back, &err), 1);
    for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
        assert_int_equal(
            fs_write_atomic("cal/calibration/abc.json", broken[i], strlen(broken[i]), &err), 0);
        assert_int_equal(calibration_load("cal", "abc", &back, &err), -1);
        assert_non_null(strstr(err.text, "not a calibration"));
    }
}

static void every_rate_of_a_calibration_is_kept(void **state)
{
    struct calibration c = round_numbers, back, other = {.call_floor_ns = 50, .partial = false};
    struct err err = ERR_INIT;
    static const char old[] = "{\"fingerprint\": \"new\", \"device\": \"d\", \"created\": \"t\", "
                              "\"read_bytes_s\": 5, \"f32_flops_s\": 7}";

    (void)state;
    snprintf(c.fingerprint, sizeof(c.fingerprint), "new");
    for (int a = 0; a < ARITH_COUNT; a++)
        c.flops_s[a] = 1000 + a;
    c.partial = true;
    fs_remove_tree("cal");
    assert_int_equal(calibration_save("cal", &c, &err), 0);
    assert_int_equal(calibration_load("cal", "new", &back, &err), 0);
    assert_memory_equal(back.flops_s, c.flops_s, sizeof(c.flops_s));
    assert_true(back.partial);

    other.read_bytes_s = 3e9;
    other.flops_s[ARITH_BF16] = 5000;
    calibration_merge(&back, &other);
    assert_true(back.read_bytes_s == 3e9 && back.copy_bytes_s == 2e9);
    assert_true(back.flops_s[ARITH_BF16] == 5000 && back.flops_s[ARITH_FP8] == 1000 + ARITH_FP8);
    assert_true(back.call_floor_ns == 50 && !back.partial);

    /* A file of before there were classes: measured anew, not read as if it knew none. */
    assert_int_equal(fs_write_atomic("cal/calibration/new.json", old, sizeof(old) - 1, &err), 0);
    assert_int_equal(calibration_load("cal", "new", &back, &err), 1);
}

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

/* --- pools and admission --- */

#define POOL_CONTENTS 8

static int open_pool(const struct problem *p, uint64_t seed, int64_t memory, struct pool *pool,
                     void **ctx, struct err *err)
{
    struct pool_config c = {.device = &device_cpu,
                            .engine = &ops_host,
                            .graph = small(p),
                            .seed = seed,
                            .contents = POOL_CONTENTS,
                            .least_slots = 1,
                            .memory_bytes = memory};

    if (!*ctx)
        assert_int_equal(device_cpu.judge->open(0, ctx, err), 0);
    c.ctx = *ctx;
    return pool_open(&c, pool, err);
}

static const struct pool_slot *get(struct pool *p, int content)
{
    const struct pool_slot *slot = NULL;
    struct err err = ERR_INIT;

    if (pool_get(p, content, &slot, &err) < 0)
        fail_msg("%s", err.text);
    return slot;
}

static void same_seed_same_contents(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "output('y', softmax(input('x', f32, { N, N }), { dim = 1 }))");
    struct pool a, b, c;
    struct err err = ERR_INIT;
    void *ctx = NULL;

    (void)state;
    assert_int_equal(open_pool(p, 5, (int64_t)1 << 30, &a, &ctx, &err), 0);
    assert_int_equal(open_pool(p, 5, (int64_t)1 << 30, &b, &ctx, &err), 0);
    assert_int_equal(open_pool(p, 6, (int64_t)1 << 30, &c, &ctx, &err), 0);
    assert_true(a.n_contents >= POOL_CONTENTS);
    for (int k = 0; k < POOL_CONTENTS; k++) {
        assert_memory_equal(get(&a, k)->data.host, get(&b, k)->data.host, a.in.bytes);
        assert_memory_equal(get(&a, k)->y.host, get(&b, k)->y.host, a.y_bytes);
        assert_memory_not_equal(get(&a, k)->data.host, get(&c, k)->data.host, a.in.bytes);
    }
    pool_close(&a);
    pool_close(&b);
    pool_close(&c);
    device_cpu.judge->close(ctx);
}

/* Where two contents fit and no more, the third takes the place of the one unused for longest, and
 * that one comes back with the same bits. The gates do not need more room either. */
static void contents_are_made_again_where_memory_is_short(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "output('y', softmax(input('x', f32, { N, N }), { dim = 1 }))");
    struct pool wide, tight;
    struct compare_stats stats;
    struct mem zeros = MEM_INIT;
    struct err err = ERR_INIT;
    void *ctx = NULL;
    double first_ms = 0;

    (void)state;
    assert_int_equal(open_pool(p, 5, (int64_t)1 << 30, &wide, &ctx, &err), 0);
    assert_int_equal(
        open_pool(p, 5, 8 * (int64_t)(wide.in.bytes + wide.y_bytes), &tight, &ctx, &err), 0);
    assert_true(pool_keeps(&wide, POOL_CONTENTS));
    assert_true(pool_keeps(&tight, 2));
    assert_false(pool_keeps(&tight, 3));
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < POOL_CONTENTS; k++) {
            assert_memory_equal(get(&wide, k)->data.host, get(&tight, k)->data.host, wide.in.bytes);
            assert_memory_equal(get(&wide, k)->y.host, get(&tight, k)->y.host, wide.y_bytes);
        }
        if (round == 0)
            first_ms = tight.expected_ms;
    }
    assert_true(tight.expected_ms == first_ms); /* the second time is none of it */
    assert_true(tight.remade_ms > 0 && wide.remade_ms == 0);
    assert_ptr_equal(get(&tight, 7), get(&tight, 7));
    assert_int_equal(tight.n_slots, 2);
    /* As many gates as contents fit are measured at once, the others when something is first
     * compared. */
    assert_true(tight.measured[0] && tight.measured[1]);
    assert_false(tight.measured[2]);
    assert_int_equal(device_cpu.judge->mem_alloc(ctx, MEM_PRIVATE, tight.out.bytes, &zeros, &err),
                     0);
    assert_int_equal(pool_compare(&tight, 2, 0, &zeros, tight.out.slots[0].offset, &stats, &err),
                     0);
    assert_true(tight.measured[2]);
    assert_true(tight.gates[2].gate.honest_rms > 0);
    assert_true(stats.max > tight.gates[2].gate.honest_max);
    device_cpu.judge->mem_free(ctx, &zeros);
    pool_close(&wide);
    pool_close(&tight);
    device_cpu.judge->close(ctx);
}

/* Within a deck every arena twice; and not always in the same order. */
static void arenas_take_turns(void **state)
{
    (void)state;
    for (int n = 1; n <= PLAN_MAX_ARENAS; n++) {
        struct deck d = {.left = 0};
        int first[2 * PLAN_MAX_ARENAS], differ = 0;

        for (int round = 0; round < 4; round++) {
            int seen[PLAN_MAX_ARENAS] = {0};

            for (int i = 0; i < 2 * n; i++) {
                struct philox p = philox4x32((uint32_t)(round * 64 + i), 0, 0, 0, 7, (uint32_t)n);
                int arena = deck_draw(&d, n, p.v[0]);

                assert_in_range(arena, 0, n - 1);
                seen[arena]++;
                differ += round > 0 && arena != first[i];
                if (round == 0)
                    first[i] = arena;
            }
            for (int a = 0; a < n; a++)
                assert_int_equal(seen[a], 2);
        }
        assert_true(n == 1 || differ > 0);
    }
}

static void a_pool_that_does_not_fit_is_refused_in_one_line(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "output('y', relu(input('x', f32, { N, N })))");
    struct pool pool;
    struct err err = ERR_INIT;
    void *ctx = NULL;

    (void)state;
    assert_int_equal(open_pool(p, 5, 100000, &pool, &ctx, &err), -1);
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "use --sizes small"));
    assert_null(strchr(err.text, '\n'));
    device_cpu.judge->close(ctx);
}

/* The holes that the published suites had, each caught by the null that finds it. */
static void problems_with_holes_are_refused(void **state)
{
    static const struct {
        const char *text, *refusal;
    } cases[] = {
        {HEAD "output('y', relu(input('x', f32, { N, N }, uniform(0, 1))))",
         "null 'input_copy' passes"},
        {HEAD "output('y', input('x', f32, { N, N }) * 0)", "null 'zeros' passes"},
        {HEAD "output('y', input('x', f32, { N, N }) * 0 + 3)", "null 'constant' passes"},
        {HEAD "output('y', cast(cast(input('x', f32, { N, N }), bf16), f32))",
         "null 'lower_precision' passes"},
        {HEAD "local x = input('x', f32, { N, N })\noutput('y', (x * x + 1e6) - 1e6)",
         "honest error"}, /* amplifies rounding: no gate means anything */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(problem_freep) struct problem *p = load(cases[i].text);
        struct admit_result r;
        struct err err = ERR_INIT;

        assert_int_equal(admit_on(&device_cpu, p, small(p), 11, &r, &err), 0);
        if (r.admitted || !strstr(r.refusal, cases[i].refusal))
            fail_msg("case %zu: %s, expected %s", i, r.admitted ? "admitted" : r.refusal,
                     cases[i].refusal);
    }
}

static const struct admit_case *find_case(const struct admit_result *r, const char *name)
{
    for (int i = 0; i < r->n_cases; i++)
        if (!strcmp(r->cases[i].name, name))
            return &r->cases[i];
    fail_msg("there is no case %s", name);
    return NULL;
}

/* Nulls of the problem's own: one fails as it must, one is the answer itself. */
static void problems_bring_their_own_nulls(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "local a, b = input('a', f32, { N, N }), input('b', f32, { N })\n"
                                  "output('y', a * b)\nnull('b_ignored', a)\n"
                                  "null('turned_round', b * a, { precision = 'f32' })\n");
    struct admit_result r;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(admit_on(&device_cpu, p, small(p), 11, &r, &err), 0);
    assert_int_equal(find_case(&r, "b_ignored")->outcome, ADMIT_CAUGHT);
    assert_int_equal(find_case(&r, "turned_round")->outcome, ADMIT_MISSED);
    assert_false(r.admitted);
    assert_string_equal(r.refusal, "null 'turned_round' passes");
}

/* Without the contract the same rows do not refuse a plain sum. */
static void plain_sums_are_a_null_where_the_problem_says_so(void **state)
{
    static const char body[] = HEAD "local x = input('x', f32, { 4, 64 * N }, peaks(64, 16.65))\n"
                                    "output('y', softmax(x))\n";
    static const char *const contract[] = {
        "", "tolerance { sums = 'compensated', rms = 3, max = 4, why = 'a test' }\n"};
    static const enum admit_outcome want[] = {ADMIT_NONE, ADMIT_CAUGHT};

    (void)state;
    for (int i = 0; i < 2; i++) {
        AUTO(freep) char *text = xasprintf("%s%s", body, contract[i]);
        AUTO(problem_freep) struct problem *p = load(text);
        struct admit_result r;
        struct err err = ERR_INIT;

        assert_int_equal(admit_on(&device_cpu, p, small(p), 11, &r, &err), 0);
        assert_true(r.admitted);
        assert_int_equal(find_case(&r, "plain_sums")->outcome, want[i]);
    }
}

static void laws_for_checks_only_are_not_scored(void **state)
{
    AUTO(problem_freep)
    struct problem *p =
        load(HEAD "local x = input('x', f32, { N, N }, normal(), heavy(), needle())\n"
                  "local n = input('n', i32, { N }, constant(N), check_only(lengths(N)))\n"
                  "output('y', x * cast(n, f32))\n");
    static const int want[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 2, 0, 2};
    const struct graph *g = small(p);

    (void)state;
    assert_int_equal(graph_first_scored(g), 12);
    for (int k = 0; k < 16; k++)
        assert_int_equal(graph_law(g, k), want[k]);
}

static void skips_need_the_problem_to_say_so(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "nulls { skip = { input_copy = 'a test' } }\n"
                                  "output('y', relu(input('x', f32, { N, N }, uniform(0, 1))))");
    struct admit_result r;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(admit_on(&device_cpu, p, small(p), 11, &r, &err), 0);
    assert_true(r.admitted);
    assert_int_equal(find_case(&r, "input_copy")->outcome, ADMIT_SKIPPED);
}

static void a_skip_of_an_unknown_null_is_an_error(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "nulls { skip = { zeroes = 'a test' } }\n"
                                  "output('y', relu(input('x', f32, { N, N })))");
    struct admit_result r;
    struct err err = ERR_INIT;

    (void)state;
    assert_int_equal(admit_on(&device_cpu, p, small(p), 11, &r, &err), -1);
    assert_string_equal(err.text,
                        "p.lua: nulls.skip: there is no null 'zeroes'; did you mean zeros");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_by_dtype_and_convolution),
        cmocka_unit_test(honest_error_has_floors),
        cmocka_unit_test(gate_calls),
        cmocka_unit_test(guards_find_damage_and_whose_it_is),
        cmocka_unit_test(limits_by_hand),
        cmocka_unit_test(every_class_has_its_peak),
        cmocka_unit_test(a_demanded_class_is_the_peak),
        cmocka_unit_test(memory_and_convolution_on_a_datasheet),
        cmocka_unit_test(an_unknown_device_goes_by_its_rates),
        cmocka_unit_test(flops_that_algebra_may_remove_are_no_physics),
        cmocka_unit_test(calibrations_are_kept_by_fingerprint),
        cmocka_unit_test(every_rate_of_a_calibration_is_kept),
        cmocka_unit_test(a_gpu_measures_what_it_can),
        cmocka_unit_test(same_seed_same_contents),
        cmocka_unit_test(contents_are_made_again_where_memory_is_short),
        cmocka_unit_test(arenas_take_turns),
        cmocka_unit_test(a_pool_that_does_not_fit_is_refused_in_one_line),
        cmocka_unit_test(problems_with_holes_are_refused),
        cmocka_unit_test(problems_bring_their_own_nulls),
        cmocka_unit_test(plain_sums_are_a_null_where_the_problem_says_so),
        cmocka_unit_test(laws_for_checks_only_are_not_scored),
        cmocka_unit_test(skips_need_the_problem_to_say_so),
        cmocka_unit_test(a_skip_of_an_unknown_null_is_an_error),
    };

    return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
