/* SPDX-License-Identifier: MIT */
/* covers: src/device/cuda/cuda_memory.c */
/* Scratch memory on a device: what the judge reckons as its own, and what it makes of the rest. */
#include "emulated.h"
#include "testing.h"

#include "base/fs.h"
#include "content/pool.h"
#include "gpu/gpu.h"
#include "process/budget.h"

#include <stdlib.h>

#define MB ((int64_t)1000000)

/* --- what is ours on the emulated GPU --- */

static int64_t others(void *ctx)
{
    struct err err = ERR_INIT;
    int64_t bytes = -1;

    must(device_cuda.judge->others_bytes(ctx, &bytes, &err), &err);
    return bytes;
}

/* Shared and private, large and small: none of it is anybody else's. */
static void the_judge_knows_its_own_memory(void **state)
{
    static const size_t sizes[] = {256, 100000, (1 << 20) + 1, 5 << 20};
    const struct device_judge_ops *ops = device_cuda.judge;
    struct err err = ERR_INIT;
    struct mem held[3][ARRAY_SIZE(sizes)];
    int64_t before;
    void *ctx;

    (void)state;
    emulated_load(false);
    assert_int_equal(ops->open(0, &ctx, &err), 0);
    before = others(ctx);
    for (enum mem_kind k = MEM_PRIVATE; k <= MEM_OUTPUT; k++)
        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
            assert_int_equal(ops->mem_alloc(ctx, k, sizes[i], &held[k][i], &err), 0);
            assert_int_equal(others(ctx), before);
        }
    assert_int_equal(ops->flush(ctx, NULL, 0, &err), 0); /* takes memory for its sweep */
    assert_int_equal(others(ctx), before);
    for (enum mem_kind k = MEM_PRIVATE; k <= MEM_OUTPUT; k++)
        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
            ops->mem_free(ctx, &held[k][i]);
    assert_int_equal(others(ctx), before);
    ops->close(ctx);
}

/* The engine's memory comes from a pool and is made and given back within an evaluation; contents
 * are the judge's. */
static void contents_are_the_judges(void **state)
{
    AUTO(freep) char *path = xasprintf("%s/problems/hard/07_w4a16_gemm.lua", getenv("ASSAY_SHARE"));
    AUTO(problem_freep) struct problem *p = NULL;
    struct err err = ERR_INIT;
    struct ops_engine engine;
    struct pool pool;
    void *ctx = NULL;

    (void)state;
    setenv("ASSAY_CUBLAS", "/nowhere", 1);
    if (problem_load(path, "hard/07", &p, &err) < 0 || device_cuda.judge->open(0, &ctx, &err) < 0 ||
        gpu_engine_open(ctx, &engine, &err) < 0)
        fail_msg("%s", err.text);

    struct pool_config c = {.device = &device_cuda,
                            .ctx = ctx,
                            .engine = &engine,
                            .graph = p->sizes[SIZES_SMALL][1].graph,
                            .seed = 3,
                            .contents = 4,
                            .least_slots = 1,
                            .memory_bytes = 1 << 30};
    int64_t before = others(ctx);
    const struct pool_slot *slot;

    assert_int_equal(pool_open(&c, &pool, &err), 0);
    assert_int_equal(pool_get(&pool, 40, &slot, &err), 0); /* one more */
    assert_int_equal(others(ctx), before);
    pool_close(&pool);
    gpu_engine_close(&engine);
    device_cuda.judge->close(ctx);
}

/* --- what is made of the rest --- */

static int64_t seen;
static bool refuses;

static int seen_bytes(void *ctx, int64_t *ret, struct err *err)
{
    (void)ctx;
    if (refuses)
        return fail(err, ERR_DEVICE, "a test");
    *ret = seen;
    return 0;
}

static const struct device_judge_ops stub = {.others_bytes = seen_bytes};

static void a_peak_counts_even_if_it_is_given_back(void **state)
{
    static const struct {
        int64_t most_mb;
        int runners, want;
    } cases[] = {
        {0, 1, 0}, {37, 1, 0}, {45, 1, 0}, {50, 1, 1}, {100, 1, 1}, {90, 2, 0}, {100, 2, 1},
    };
    struct err err = ERR_INIT;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct verdict v = VERDICT_INIT;
        struct budget b;

        seen = 600 * MB; /* contexts */
        assert_int_equal(budget_begin(&b, &stub, NULL, 37 * MB, cases[i].runners, &err), 0);
        seen = (600 + cases[i].most_mb) * MB;
        assert_int_equal(budget_sample(&b, &err), 0);
        seen = 600 * MB;
        assert_int_equal(budget_sample(&b, &err), 0);
        assert_int_equal(b.most_bytes, cases[i].most_mb * MB);
        assert_int_equal(budget_verdict(&b, &v), cases[i].want);
        if (cases[i].want)
            assert_string_equal(v.code, "memory");
    }
}

static void without_a_budget_nobody_looks(void **state)
{
    struct device_judge_ops silent = {0};
    struct verdict v = VERDICT_INIT;
    struct err err = ERR_INIT;
    struct budget b;

    (void)state;
    refuses = true;
    assert_int_equal(budget_begin(&b, &stub, NULL, 0, 1, &err), 0);
    assert_int_equal(budget_sample(&b, &err), 0);
    assert_int_equal(budget_begin(&b, &silent, NULL, MB, 1, &err), 0);
    assert_int_equal(budget_sample(&b, &err), 0);
    assert_int_equal(budget_verdict(&b, &v), 0);
    assert_int_equal(budget_begin(&b, &stub, NULL, MB, 1, &err), -1);
    refuses = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_judge_knows_its_own_memory),
        cmocka_unit_test(contents_are_the_judges),
        cmocka_unit_test(a_peak_counts_even_if_it_is_given_back),
        cmocka_unit_test(without_a_budget_nobody_looks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
