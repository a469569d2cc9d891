/* SPDX-License-Identifier: MIT */
/* The judge's pieces that need no runner: gates, layouts, limits, calibrations, pools, admission.
 */
#include "testing.h"

#include "base/fs.h"
#include "judge/admit.h"
#include "judge/calibration.h"
#include "judge/limits.h"
#include "ops/ops.h"

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

static const struct calibration round_numbers = {.read_bytes_s = 1e9,
                                                 .copy_bytes_s = 2e9,
                                                 .f32_flops_s = 1e9,
                                                 .f64_flops_s = 5e8,
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
    limits_compute(matmul_p, small(matmul_p), &round_numbers, 0, &l);
    assert_true(l.flops == 2.0 * 32 * 32 * 32);
    assert_true(l.bytes == 3.0 * 32 * 32 * 4);
    assert_string_equal(l.regime, "compute");
    assert_true(fabs(l.floor_ns - 65536) < 1e-6);
    assert_true(fabs(l.physics_ns - 65536 / 1.5) < 1e-6);
    assert_true(fabs(limits_sol(&l, &round_numbers, 131272) - 0.5) < 1e-12);

    limits_compute(relu_p, small(relu_p), &round_numbers, 0, &l);
    assert_string_equal(l.regime, "memory");
    assert_true(fabs(l.floor_ns - 8192 / 2.0) < 1e-6);
    assert_true(fabs(l.physics_ns - 8192 / 3.0) < 1e-6);
    /* What stays in the cache need not have been written when the call ends. */
    limits_compute(relu_p, small(relu_p), &round_numbers, 4096, &l);
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
    limits_compute(chain, small(chain), &round_numbers, 0, &l);
    assert_true(l.physics_ns < l.floor_ns / 10);
    limits_compute(marked, small(marked), &round_numbers, 0, &l);
    assert_true(l.physics_ns < l.floor_ns / 5);
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
    assert_true(back.f64_flops_s == c.f64_flops_s && back.call_floor_ns == c.call_floor_ns);
    assert_int_equal(calibration_load("cal", "other", &back, &err), 1);
    for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
        assert_int_equal(
            fs_write_atomic("cal/calibration/abc.json", broken[i], strlen(broken[i]), &err), 0);
        assert_int_equal(calibration_load("cal", "abc", &back, &err), -1);
        assert_non_null(strstr(err.text, "not a calibration"));
    }
}

/* --- pools and admission --- */

static int open_pool(const struct problem *p, uint64_t seed, int64_t memory, struct pool *pool,
                     void **ctx, struct err *err)
{
    assert_int_equal(device_cpu.judge->open(0, ctx, err), 0);
    return pool_open(&device_cpu, *ctx, small(p), seed, 8, memory, NULL, pool, err);
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
    assert_int_equal(pool_open(&device_cpu, ctx, small(p), 5, 8, (int64_t)1 << 30, NULL, &b, &err),
                     0);
    assert_int_equal(pool_open(&device_cpu, ctx, small(p), 6, 8, (int64_t)1 << 30, NULL, &c, &err),
                     0);
    assert_true(a.n_contents >= 8);
    for (int k = 0; k < 8; k++) {
        assert_memory_equal(a.contents[k].host_data.host, b.contents[k].host_data.host, a.in.bytes);
        assert_memory_equal(a.contents[k].host_y.host, b.contents[k].host_y.host, a.y_bytes);
        assert_memory_not_equal(a.contents[k].host_data.host, c.contents[k].host_data.host,
                                a.in.bytes);
    }
    pool_close(&a);
    pool_close(&b);
    pool_close(&c);
    device_cpu.judge->close(ctx);
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

        assert_int_equal(admit_size(p, small(p), 11, &r, &err), 0);
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
    assert_int_equal(admit_size(p, small(p), 11, &r, &err), 0);
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

        assert_int_equal(admit_size(p, small(p), 11, &r, &err), 0);
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
    assert_int_equal(admit_size(p, small(p), 11, &r, &err), 0);
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
    assert_int_equal(admit_size(p, small(p), 11, &r, &err), -1);
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
        cmocka_unit_test(flops_that_algebra_may_remove_are_no_physics),
        cmocka_unit_test(calibrations_are_kept_by_fingerprint),
        cmocka_unit_test(same_seed_same_contents),
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
