/* SPDX-License-Identifier: MIT */
/* The judge's pieces that need no runner: gates, layouts, pools, arenas, admission. Limits and
 * calibrations: test_limits.c. */
#include "admit_rig.h"
#include "problem_rig.h"

#include "measure/arenas.h"
#include "measure/trial_call.h"
#include "ops/ops.h"
#include "tensor/philox.h"

#include <math.h>
#include <stdlib.h>

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
    assert_string_equal(v.code, "max");
    assert_non_null(strstr(v.detail, "y[1, 5] is"));
    s.max = NAN;
    assert_int_equal(gate_call(&gate, "y", &shape, DT_F32, &s, &v), 1);
    s.max = 0;
    s.n_nonfinite = 1;
    s.first_nonfinite = 31;
    assert_int_equal(gate_call(&gate, "y", &shape, DT_F32, &s, &v), 1);
    assert_string_equal(v.code, "nonfinite");
    assert_non_null(strstr(v.detail, "first [3, 7]"));
    s = (struct compare_stats)COMPARE_STATS_INIT;
    s.n_unequal = 2;
    s.first_unequal = 8;
    assert_int_equal(gate_call(&gate, "y", &shape, DT_I64, &s, &v), 1);
    assert_string_equal(v.code, "unequal");

    s = (struct compare_stats)COMPARE_STATS_INIT;
    s.count = 100;
    s.sum_sq = 100 * 64e-14; /* rho = 8e-7 */
    assert_int_equal(gate_pooled(&gate, "y", DT_F32, &s, &v), 0);
    s.sum_sq *= 1.01;
    assert_int_equal(gate_pooled(&gate, "y", DT_F32, &s, &v), 1);
    assert_string_equal(v.code, "rms");
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

/* How often a peek looks at each of the tensors; fails when it looks elsewhere. */
static void count_looks(const struct layout *l, uint64_t key, int *looks)
{
    struct peeks where;

    layout_peeks(l, key, &where);
    for (uint32_t i = 0; i < DEVICE_PEEKS; i++) {
        uint64_t at = 4 * peeks_place(&where, i);
        int slot = 0;

        while (slot < l->n && at >= l->slots[slot].offset + l->slot_bytes[slot])
            slot++;
        assert_true(slot < l->n && at >= l->slots[slot].offset);
        looks[slot]++;
    }
}

static void peeks_see_small_outputs_too(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "local x = input('x', f32, { N, 4096 })\n"
                                  "output('a', x + 1)\n"
                                  "output('b', sum(x))\n"                   /* a word */
                                  "output('c', -input('h', bf16, { 3 }))"); /* a word and a half */
    struct layout l;

    (void)state;
    layout_outputs(small(p), &l);
    for (uint64_t key = 1; key < 10; key++) {
        int looks[3] = {0};

        count_looks(&l, key, looks);
        for (int i = 0; i < l.n; i++)
            assert_in_range(looks[i], DEVICE_PEEKS / 3, DEVICE_PEEKS / 3 + 1);
    }
    layout_release(&l);
}

/* Of too many every one is looked at, in one call or another. */
static void peeks_see_many_outputs(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "local x = input('x', f32, { N, 3 })\n"
                                  "for i = 1, 40 do output('y' .. i, x + i) end");
    int looks[40] = {0};
    struct layout l;

    (void)state;
    layout_outputs(small(p), &l);
    assert_true(l.n == ARRAY_SIZE(looks) && l.n > PEEK_SPANS);
    for (uint64_t key = 1; key < 100; key++)
        count_looks(&l, key, looks);
    for (int i = 0; i < l.n; i++)
        assert_in_range(looks[i], DEVICE_PEEKS, 4 * DEVICE_PEEKS); /* 99 / 40 of them each */
    layout_release(&l);
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

    must(pool_get_expected(p, content, &slot, &err), &err);
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
    /* As many gates as contents fit are measured at once, the others when the first content of
     * their law is brought. */
    assert_true(tight.measured[0] && tight.measured[1]);
    assert_false(tight.measured[2]);
    get(&tight, 2);
    assert_true(tight.measured[2]);
    assert_true(tight.gates[2].gate.honest_rms > 0);
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < POOL_CONTENTS; k++) {
            assert_memory_equal(get(&wide, k)->data.host, get(&tight, k)->data.host, wide.in.bytes);
            assert_memory_equal(get(&wide, k)->y.host, get(&tight, k)->y.host, wide.y_bytes);
        }
        if (round == 0)
            first_ms = tight.own.ms[PHASE_EXPECTED];
    }
    assert_true(tight.own.ms[PHASE_EXPECTED] == first_ms); /* the second time is none of it */
    assert_true(tight.own.ms[PHASE_REMADE] > 0 && wide.own.ms[PHASE_REMADE] == 0);
    assert_ptr_equal(get(&tight, 7), get(&tight, 7));
    assert_int_equal(tight.n_slots, 2);
    assert_int_equal(device_cpu.judge->mem_alloc(ctx, MEM_PRIVATE, tight.out.bytes, &zeros, &err),
                     0);
    assert_int_equal(pool_compare(&tight, 2, 0, &zeros, tight.out.slots[0].offset, &stats, &err),
                     0);
    assert_true(stats.max > tight.gates[2].gate.honest_max);
    device_cpu.judge->mem_free(ctx, &zeros);
    pool_close(&wide);
    pool_close(&tight);
    device_cpu.judge->close(ctx);
}

/* So many elements, whose errors are on the average that part of what the gate allows. */
static struct compare_stats figures(const struct gate *gate, int64_t count, double part)
{
    double rho = part * gate->rms_factor * gate->honest_rms;

    return (struct compare_stats){.count = count, .sum_sq = (double)count * rho * rho};
}

/* The RMS is judged over all answers of a law: three that are exact enough make up for a fourth
 * that is a little beyond the gate. */
static void pooled_answers_are_judged_together(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "output('y', relu(input('x', f32, { N, N })))");
    struct compare_stats pooled[8], exact;
    struct verdict v = VERDICT_INIT;
    struct err err = ERR_INIT;
    void *ctx = NULL;
    struct pool pool;

    (void)state;
    assert_int_equal(open_pool(p, 5, (int64_t)1 << 30, &pool, &ctx, &err), 0);
    assert_in_range(pool.graph->n_laws, 1, ARRAY_SIZE(pooled));
    for (size_t i = 0; i < ARRAY_SIZE(pooled); i++)
        pooled[i] = (struct compare_stats)COMPARE_STATS_INIT;

    struct trial_config config = {.pool = &pool, .runner.subject.kind = &subject_native};
    struct trial t = {.config = &config, .pooled = pooled, .wrong = VERDICT_INIT};

    pooled[0] = figures(&pool.gates[0].gate, 1000, 1.2);
    exact = figures(&pool.gates[0].gate, 3000, 0.4);
    compare_merge(&pooled[0], &exact);
    assert_int_equal(trial_judge_pooled(&t, &v, &err), 0);
    pooled[0] = figures(&pool.gates[0].gate, 1000, 2);
    compare_merge(&pooled[0], &exact);
    assert_int_equal(trial_judge_pooled(&t, &v, &err), 1);
    assert_string_equal(v.code, "rms");
    pool_close(&pool);
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
    static const char body[] =
        HEAD "local x = input('x', f32, { 4, 64 * N }, peaks(64, 16.65), spread())\n"
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
        load(HEAD "local x = input('x', f32, { N, N }, normal(), heavy(), spread())\n"
                  "local n = input('n', i32, { N }, constant(N), check_only(lengths(N)))\n"
                  "output('y', x * cast(n, f32))\n");
    static const int want[] = {0, 1, 2, 0, 2, 0, 2}, twice[] = {0, 1, 2, 0, 1, 2, 0, 2};
    const struct graph *g = small(p);

    (void)state;
    assert_int_equal(graph_n_scored(g), 2);
    for (int k = 0; k < 7; k++)
        assert_int_equal(graph_law(g, k, 1), want[k]);
    for (int k = 0; k < 8; k++)
        assert_int_equal(graph_law(g, k, 2), twice[k]);
}

static void skips_need_the_problem_to_say_so(void **state)
{
    AUTO(problem_freep)
    struct problem *p =
        load(HEAD "nulls { skip = { input_copy = 'a test' } }\n"
                  "output('y', relu(input('x', f32, { N, N }, uniform(0, 1), bands(0, 1))))");
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
        cmocka_unit_test(peeks_see_small_outputs_too),
        cmocka_unit_test(peeks_see_many_outputs),
        cmocka_unit_test(same_seed_same_contents),
        cmocka_unit_test(contents_are_made_again_where_memory_is_short),
        cmocka_unit_test(pooled_answers_are_judged_together),
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
