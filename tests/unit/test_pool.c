/* SPDX-License-Identifier: MIT */
/* covers: src/content/pool_gates.c src/content/draw.c */
/* Contents of a pool on the CPU. On a GPU: test_gpu_pool.c. */
#include "pool_rig.h"

static void same_seed_same_contents(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "output('y', softmax(input('x', f32, { N, N }), { dim = 1 }))");
    struct pool a, b, c;
    struct err err = ERR_INIT;
    void *ctx = NULL;

    (void)state;
    assert_int_equal(open_cpu_pool(p, 5, (int64_t)1 << 30, &a, &ctx, &err), 0);
    assert_int_equal(open_cpu_pool(p, 5, (int64_t)1 << 30, &b, &ctx, &err), 0);
    assert_int_equal(open_cpu_pool(p, 6, (int64_t)1 << 30, &c, &ctx, &err), 0);
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

/* The bytes of one source of a content. */
static const void *source_of(struct pool *p, int content, int source)
{
    return (const char *)get(p, content)->data.host + p->in.slots[source].offset;
}

/* With fixed weights all contents have the parameters of content 0. Inputs and laws are those of a
 * pool without. */
static void fixed_parameters_are_those_of_content_0(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "local x = input('x', f32, { N, N })\n"
                                  "local w = param('w', f32, { N })\n"
                                  "output('y', softmax(x * w, { dim = 1 }))");
    struct pool usual, fixed;
    struct err err = ERR_INIT;
    void *ctx = NULL;

    (void)state;
    assert_int_equal(open_cpu_pool(p, 5, (int64_t)1 << 30, &usual, &ctx, &err), 0);

    struct pool_config c = cpu_pool_config(p, 5, (int64_t)1 << 30, ctx);

    c.params_fixed = true;
    assert_int_equal(pool_open(&c, &fixed, &err), 0);

    size_t x = fixed.in.slot_bytes[0], w = fixed.in.slot_bytes[1];

    for (int k = 0; k < POOL_CONTENTS; k++) {
        assert_memory_equal(source_of(&fixed, k, 1), source_of(&usual, 0, 1), w);
        assert_memory_equal(source_of(&fixed, k, 0), source_of(&usual, k, 0), x);
        assert_int_equal(pool_law(&fixed, k), pool_law(&usual, k));
        if (k > 0) {
            assert_memory_not_equal(source_of(&usual, k, 1), source_of(&usual, 0, 1), w);
            assert_memory_not_equal(source_of(&fixed, k, 0), source_of(&fixed, 0, 0), x);
        }
    }
    pool_close(&usual);
    pool_close(&fixed);
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
    assert_int_equal(open_cpu_pool(p, 5, (int64_t)1 << 30, &wide, &ctx, &err), 0);
    assert_int_equal(
        open_cpu_pool(p, 5, 8 * (int64_t)(wide.in.bytes + wide.y_bytes), &tight, &ctx, &err), 0);
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

static void a_pool_that_does_not_fit_is_refused_in_one_line(void **state)
{
    AUTO(problem_freep)
    struct problem *p = load(HEAD "output('y', relu(input('x', f32, { N, N })))");
    struct pool pool;
    struct err err = ERR_INIT;
    void *ctx = NULL;

    (void)state;
    assert_int_equal(open_cpu_pool(p, 5, 100000, &pool, &ctx, &err), -1);
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "use --sizes small"));
    assert_null(strchr(err.text, '\n'));
    device_cpu.judge->close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_same_contents),
        cmocka_unit_test(fixed_parameters_are_those_of_content_0),
        cmocka_unit_test(contents_are_made_again_where_memory_is_short),
        cmocka_unit_test(a_pool_that_does_not_fit_is_refused_in_one_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
