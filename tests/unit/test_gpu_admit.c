/* SPDX-License-Identifier: MIT */
/* san-slow: src/gpu src/device src/ops src/tensor src/content src/judge src/problem tests/emu */
/* san-slow: tests/unit/admit_rig.h tests/unit/emulated.h */
/* long: 10 s */
/* covers: src/judge/admit.c src/device/cuda/cuda_for_judge.c */
/* Admission on the emulated GPU against the host's: the same outcome of every case, told in the
 * same words. Nulls are made there by other graphs, rounding hooks and kernels of the judge's own.
 */
#include "admit_rig.h"
#include "emulated.h"
#include "problem_rig.h"

#include <stdlib.h>
#include <string.h>

#define SEED 11

static int set_up(void **state)
{
    (void)state;
    emulated_load(true);
    return 0;
}

static void admit(const struct device *device, const struct problem *p, int size,
                  struct admit_result *ret)
{
    struct err err = ERR_INIT;

    if (admit_on(device, p, p->sizes[SIZES_SMALL][size].graph, SEED, ret, &err) < 0)
        fail_msg("%s on %s: %s", p->name, device->name, err.text);
}

static void same_outcomes(const char *name, int size)
{
    AUTO(problem_freep) struct problem *p = load_shipped(name);
    struct admit_result host, gpu;

    admit(&device_cpu, p, size, &host);
    admit(&device_cuda, p, size, &gpu);
    assert_true(gpu.admitted);
    assert_int_equal(gpu.n_cases, host.n_cases);
    for (int i = 0; i < host.n_cases; i++) {
        const struct admit_case *want = &host.cases[i], *have = &gpu.cases[i];

        if (have->outcome != want->outcome)
            fail_msg("%s, %s: %s (%s), on the host %s (%s)", name, want->name,
                     admit_outcome_names[have->outcome], have->detail,
                     admit_outcome_names[want->outcome], want->detail);
    }
}

static void cases_come_out_alike(void **state)
{
    static const struct {
        const char *name;
        int size;
    } cases[] = {
        {"level1/001_square_matrix_multiplication", 0}, /* tf32 operands */
        {"level1/023_softmax", 0},                      /* bf16 storage */
        {"level1/051_argmax", 0},                       /* integers */
        {"hard/01_fp8_gemm", 1},
        {"hard/02_kda_cutlass", 0},
        {"hard/03_paged_attention", 1},
        {"hard/04_kahan_softmax", 0},
        {"hard/05_topk_bitonic", 2},
        {"hard/06_sonic_moe_swiglu", 0},
        {"hard/07_w4a16_gemm", 1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        same_outcomes(cases[i].name, cases[i].size);
}

/* Whatever lies in memory before, a null is what was made of it. */
static void what_is_stored_is_rounded(void **state)
{
    static const double values[] = {0, 1, -1.00390625, 3e38, -1e-40, 0.1, 257};
    const struct device *devices[] = {&device_cpu, &device_cuda};
    unsigned char got[2][DT_COUNT][sizeof(values)];
    struct err err = ERR_INIT;

    (void)state;
    for (int d = 0; d < 2; d++) {
        const struct device_judge_ops *ops = devices[d]->judge;
        struct mem from = MEM_INIT, to = MEM_INIT;
        void *ctx;

        assert_int_equal(ops->open(0, &ctx, &err), 0);
        assert_int_equal(ops->mem_alloc(ctx, MEM_PRIVATE, sizeof(values), &from, &err), 0);
        assert_int_equal(ops->mem_alloc(ctx, MEM_PRIVATE, sizeof(values), &to, &err), 0);
        for (enum dtype t = 0; t < DT_COUNT; t++) {
            int64_t whole[ARRAY_SIZE(values)] = {0, 1, -1, 1 << 20, INT64_MIN, 200, 257};
            const void *data = dtype_is_float(t) ? (const void *)values : whole;

            assert_int_equal(ops->poison(ctx, &to, 0, sizeof(values), 5, &err), 0);
            assert_int_equal(ops->upload(ctx, &from, 0, data, sizeof(values), &err), 0);
            assert_int_equal(ops->store(ctx, &from, 0, t, ARRAY_SIZE(values), &to, 0, &err), 0);
            assert_int_equal(ops->download(ctx, &to, 0, got[d][t], sizeof(values), &err), 0);
        }
        assert_int_equal(ops->store(ctx, &from, 8, DT_F32, ARRAY_SIZE(values), &to, 0, &err), -1);
        assert_int_equal(ops->store(ctx, &from, 0, DT_F32, ARRAY_SIZE(values), &to, 32, &err), -1);
        ops->mem_free(ctx, &from);
        ops->mem_free(ctx, &to);
        ops->close(ctx);
    }
    for (enum dtype t = 0; t < DT_COUNT; t++)
        if (memcmp(got[0][t], got[1][t], sizeof(values)) != 0)
            fail_msg("%s is not stored as on the host", dtype_name(t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_stored_is_rounded),
        cmocka_unit_test(cases_come_out_alike),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
