/* SPDX-License-Identifier: MIT */
/* san-slow: src/gpu src/device src/ops src/tensor src/content src/judge src/problem tests/emu */
/* san-slow: tests/unit/gpu_pool_rig.h tests/unit/emulated.h */
/* long: 8 s */
/* covers: src/content/pool.c src/content/pool_gates.c src/device/cuda/cuda_compare.c */
/* A pool in the memory of the emulated GPU against one in the host's: the same inputs to the bit,
 * the same expected values, the same gates. */
#include "gpu_pool_rig.h"

#include <math.h>

static void same_values(const struct pool *p, int k, int output, const void *got, const void *want)
{
    const struct tensor_slot *slot = &p->out.slots[output];
    int64_t n = shape_count(&slot->shape);
    const double *y = got, *host_y = want;

    if (!dtype_is_float(slot->dtype)) {
        assert_memory_equal(got, want, (size_t)n * 8);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(y[i] - host_y[i]) <= 1e-12 * fmax(1, fabs(host_y[i]))))
            fail_msg("%s, content %d, element %ld: %.17g, on the host %.17g",
                     p->graph->outputs[output].name, k, (long)i, y[i], host_y[i]);
}

static void same_content(struct pool *host, struct pool *gpu, int k)
{
    const struct pool_slot *want = get(host, k), *have = get(gpu, k);
    AUTO(freep) void *data = download(&have->data, gpu->in.bytes);
    AUTO(freep) char *y = download(&have->y, gpu->y_bytes);

    assert_memory_equal(data, want->data.host, host->in.bytes);
    for (int o = 0; o < gpu->graph->n_outputs; o++)
        same_values(gpu, k, o, y + gpu->y_offset[o],
                    (const char *)want->y.host + host->y_offset[o]);
}

/* The first ones; where laws are for checks alone, also those that leave them out. */
static void same_contents(struct pool *host, struct pool *gpu)
{
    int scored = gpu->graph->n_laws;

    for (int k = 0; k < CONTENTS; k++)
        same_content(host, gpu, k);
    for (int k = scored; k < scored + 2; k++) {
        assert_true(graph_law_scored(gpu->graph, pool_law(gpu, k)));
        same_content(host, gpu, k);
    }
}

/* Of outputs that are exact the errors are 0, on both sides. */
static bool near(double a, double b, double part)
{
    return fabs(a - b) <= part * fabs(b);
}

static void same_gates(const struct pool *host, const struct pool *gpu)
{
    for (int i = 0; i < host->graph->n_laws * host->graph->n_outputs; i++) {
        const struct law_gate *want = &host->gates[i], *have = &gpu->gates[i];

        assert_int_equal(have->scale.row_len, want->scale.row_len);
        assert_true(near(have->scale.pooled_rms, want->scale.pooled_rms, 1e-9));
        if (gpu->large) /* as many honest runs as there was time for */
            continue;
        assert_true(near(have->gate.honest_rms, want->gate.honest_rms, 1e-6));
        assert_true(near(have->gate.honest_max, want->gate.honest_max, 1e-6));
    }
}

/* The expected values, rounded to the output's dtype, pass as an answer; others do not. */
static void compares(struct pool *host, struct pool *gpu)
{
    const struct device_judge_ops *ops = device_cuda.judge;
    const struct tensor_slot *slot = &gpu->out.slots[0];
    int64_t n = shape_count(&slot->shape);
    AUTO(freep) char *got = xcalloc(1, gpu->out.bytes);
    struct mem out = MEM_INIT;
    struct compare_stats right, other;
    struct err err = ERR_INIT;

    dtype_from_f64(slot->dtype, get(host, 1)->y.host, got + slot->offset, n);
    assert_int_equal(ops->mem_alloc(cuda, MEM_PRIVATE, gpu->out.bytes, &out, &err), 0);
    assert_int_equal(ops->upload(cuda, &out, 0, got, gpu->out.bytes, &err), 0);
    assert_int_equal(pool_compare(gpu, 1, 0, &out, slot->offset, &right, &err), 0);
    assert_int_equal(pool_compare(gpu, 2, 0, &out, slot->offset, &other, &err), 0);
    assert_true(right.max < 16 * dtype_roundoff(slot->dtype));
    assert_true(other.max > MAX(0x1p-10, 64 * dtype_roundoff(slot->dtype)));
    ops->mem_free(cuda, &out);
}

/* size: which of the small ones */
static void one_pool(const char *name, int size, int64_t memory)
{
    AUTO(problem_freep) struct problem *p = load_shipped(name);
    struct pool host, gpu;

    open_pool(p->sizes[SIZES_SMALL][size].graph, false, MEMORY, &host);
    open_pool(p->sizes[SIZES_SMALL][size].graph, true, memory, &gpu);
    same_contents(&host, &gpu);
    if (pool_keeps(&gpu, CONTENTS)) /* else the gates rest on fewer contents */
        same_gates(&host, &gpu);
    compares(&host, &gpu);
    pool_close(&host);
    pool_close(&gpu);
}

/* Where an output has few rows (095, 04), gates rest on many honest runs. That takes long here, so
 * the other problems come with more rows. */
static void pools_are_equal(void **state)
{
    static const struct {
        const char *name;
        int size;
    } problems[] = {
        {"level1/001_square_matrix_multiplication", 0},
        {"level1/023_softmax", 0},
        {"level1/040_layer_norm", 0},
        {"level1/095_cross_entropy_loss", 0},
        {"level2/022_matmul_scale_residual_clamp_logsumexp_mish", 0},
        {"hard/01_fp8_gemm", 0},
        {"hard/02_kda_cutlass", 0},
        {"hard/03_paged_attention", 0},
        {"hard/04_kahan_softmax", 0},
        {"hard/05_topk_bitonic", 2},
        {"hard/06_sonic_moe_swiglu", 0},
        {"hard/07_w4a16_gemm", 1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(problems); i++)
        one_pool(problems[i].name, problems[i].size, MEMORY);
}

/* So little memory that contents are made again and again. */
static void contents_come_back(void **state)
{
    (void)state;
    one_pool("level1/023_softmax", 0, 2 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools_are_equal),
        cmocka_unit_test(contents_come_back),
    };

    return cmocka_run_group_tests(tests, gpu_pool_set_up, gpu_pool_tear_down);
}
