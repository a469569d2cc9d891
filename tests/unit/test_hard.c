/* SPDX-License-Identifier: MIT */
/* san-slow: src/judge src/problem src/ops src/tensor src/content problems/hard */
/* san-slow: tests/unit/admit_rig.h */
/* covers: src/judge/admit.c src/problem/graph_view.c */
/* The hard seven: what every shape costs, and that all of their nulls fail. */
#include "admit_rig.h"
#include "problem_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct err err;

/* --- costs --- */

static struct problem *load_hard(const char *name)
{
    AUTO(freep) char *full = xasprintf("hard/%s", name);

    return load_shipped(full);
}

static int64_t param(const struct size *s, const char *name)
{
    for (int i = 0; i < s->n_params; i++)
        if (!strcmp(s->params[i].name, name))
            return (int64_t)s->params[i].value;
    fail_msg("no size parameter %s", name);
    return 0;
}

struct work {
    double flops, bytes;
};

/* The work as a plain program does it, one multiplication and addition after the other, and every
 * byte that must be read or written once. */

static struct work count_gemm(const struct size *s)
{
    int64_t m = param(s, "M"), n = param(s, "N"), k = param(s, "K");
    struct work w = {0, 0};

    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++, w.bytes += 2)
            for (int64_t l = 0; l < k; l++)
                w.flops += 2;
    w.bytes += (double)(m * k + n * k + 4 * n);
    return w;
}

static struct work count_kda(const struct size *s)
{
    int64_t k = param(s, "K"), v = param(s, "V");
    struct work w = {0, 0};

    for (int64_t i = 0; i < param(s, "B") * param(s, "T") * param(s, "H"); i++) {
        for (int64_t j = 0; j < k * v; j++)
            w.flops += 2 + 2 + 2; /* S^T k, the update, S^T q */
        w.bytes += (double)(2 * k + 2 * k + 2 * v + 4 * k + 2 + 2 * v);
    }
    return w;
}

static struct work count_attention(const struct size *s)
{
    int64_t b = param(s, "B"), h = param(s, "H"), d = param(s, "D"), length = param(s, "L");
    int64_t page = param(s, "P");
    struct work w = {0, 0};

    for (int64_t i = 0; i < b * h; i++, w.bytes += (double)(2 * d + 2 * d))
        for (int64_t t = 0; t < length; t++)
            w.flops += (double)(2 * d + 2 * d);
    for (int64_t i = 0; i < b; i++, w.bytes += 4) {
        for (int64_t t = 0; t < length; t++)
            w.bytes += (double)(param(s, "HKV") * 2 * d * 2);
        for (int64_t t = 0; t < length; t += page)
            w.bytes += 4;
    }
    return w;
}

static struct work count_softmax(const struct size *s)
{
    return (struct work){0, (double)(param(s, "B") * param(s, "V") * (4 + 4))};
}

static struct work count_topk(const struct size *s)
{
    return (struct work){0,
                         (double)(param(s, "B") * (4 * param(s, "N") + (4 + 8) * param(s, "TOP")))};
}

static struct work count_moe(const struct size *s)
{
    int64_t hidden = param(s, "HIDDEN"), width = param(s, "I"), experts = param(s, "E");
    struct work w = {0, (double)(4 * (experts + 1) + 2 * 2 * experts * hidden * width)};

    for (int64_t row = 0; row < param(s, "TOKENS") * param(s, "TOP"); row++) {
        for (int64_t j = 0; j < width; j++)
            w.flops += 2 * 2 * (double)hidden; /* gate and up */
        w.bytes += (double)(2 * hidden + 2 * width);
    }
    return w;
}

static struct work count_w4a16(const struct size *s)
{
    int64_t m = param(s, "M"), n = param(s, "N"), k = param(s, "K");
    struct work w = {2.0 * (double)m * (double)n * (double)k, (double)(2 * m * k + 2 * m * n)};

    for (int64_t j = 0; j < n; j++)
        for (int64_t l = 0; l < k; l += 128)
            w.bytes += 128 / 2 + 2 + 2;
    return w;
}

static const struct {
    const char *name;
    struct work (*count)(const struct size *s);
    enum dtype type;         /* of what is contracted */
    const char *regimes;     /* of the full sizes on an H200: m or c each */
    double gflops[5], mb[5]; /* of the full sizes, rounded, as docs/hard.md has them */
} problems[] = {
    {"01_fp8_gemm",
     count_gemm,
     DT_F8E4M3,
     "ccmc",
     {137.439, 138.479, 4.295, 481.036},
     {67.125, 67.379, 67.928, 192.995}},
    {"02_kda_cutlass",
     count_kda,
     DT_BF16,
     "mmmm",
     {1.611, 3.221, 3.221, 0.805},
     {25.199, 50.397, 50.397, 12.599}},
    {"03_paged_attention",
     count_attention,
     DT_BF16,
     "mmmmm",
     {0.134, 1.074, 0.537, 0.402, 0.066},
     {33.688, 268.976, 67.244, 100.866, 16.421}},
    {"04_kahan_softmax", count_softmax, DT_F32, "mmmm", {0}, {1.049, 4.194, 8.389, 8.389}},
    {"05_topk_bitonic", count_topk, DT_F32, "mmmmm", {0}, {0.525, 2.103, 2.109, 0.771, 2.099}},
    {"06_sonic_moe_swiglu",
     count_moe,
     DT_BF16,
     "ccc",
     {6597.07, 137.439, 4398.047},
     {6174.016, 637.534, 3758.097}},
    {"07_w4a16_gemm",
     count_w4a16,
     DT_BF16,
     "mmcmm",
     {0.101, 3.221, 25.770, 0.034, 1.879},
     {26.771, 27.787, 35.127, 8.929, 31.785}},
};

/* Datasheet figures of an H200: dense TFLOPS and TB/s. */
static char h200_regime(const struct cost *c)
{
    double compute = c->contract[DT_F8E4M3] / 1979e12 + c->contract[DT_BF16] / 989e12;

    return compute > cost_bytes(c) / 4.8e12 ? 'c' : 'm';
}

static void near(const char *name, int i, const char *what, double got, double want, double by)
{
    if (!(fabs(got - want) <= by))
        fail_msg("%s, size %d: %s is %.10g, expected %.10g", name, i, what, got, want);
}

static void test_costs(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(problems); i++) {
        AUTO(problem_freep) struct problem *p = load_hard(problems[i].name);
        struct cost c;

        for (int k = 0; k < p->n_sizes[SIZES_SMALL]; k++) {
            struct work w = problems[i].count(&p->sizes[SIZES_SMALL][k]);

            graph_cost(p->sizes[SIZES_SMALL][k].graph, &c);
            near(p->name, k, "FLOPs", cost_contract_total(&c), w.flops, 0);
            near(p->name, k, "FLOPs of the type", c.contract[problems[i].type], w.flops, 0);
            near(p->name, k, "bytes", cost_bytes(&c), w.bytes, 0);
        }
        assert_int_equal(p->n_sizes[SIZES_FULL], strlen(problems[i].regimes));
        for (int k = 0; k < p->n_sizes[SIZES_FULL]; k++) {
            graph_cost(p->sizes[SIZES_FULL][k].graph, &c);
            near(p->name, k, "GFLOP", cost_contract_total(&c) / 1e9, problems[i].gflops[k], 5e-3);
            near(p->name, k, "MB", cost_bytes(&c) / 1e6, problems[i].mb[k], 5e-3);
            assert_int_equal(h200_regime(&c), problems[i].regimes[k]);
        }
    }
}

/* --- admission --- */

static void test_all_nulls_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(problems); i++) {
        AUTO(problem_freep) struct problem *p = load_hard(problems[i].name);

        for (int k = 0; k < p->n_sizes[SIZES_SMALL]; k++) {
            const struct graph *g = p->sizes[SIZES_SMALL][k].graph;
            struct admit_result r;

            assert_true(g->n_nulls >= 3);
            assert_int_equal(admit_on(&device_cpu, p, g, 7 + (uint64_t)k, &r, &err), 0);
            if (!r.admitted)
                fail_msg("%s, size %d: %s", p->name, k, r.refusal);
        }
    }
}

/* Scored calls have full sequences and even experts; checks have the others. */
static void test_what_is_only_checked(void **state)
{
    static const char *const names[] = {"03_paged_attention", "06_sonic_moe_swiglu"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        AUTO(problem_freep) struct problem *p = load_hard(names[i]);
        const struct graph *g = p->sizes[SIZES_SMALL][0].graph;

        assert_true(graph_law_scored(g, 0));
        assert_false(graph_law_scored(g, 1));
        for (int k = 0; k < g->n_laws; k++)
            assert_int_equal(graph_law(g, k, 1), k);
        for (int k = g->n_laws; k < 4 * g->n_laws; k++)
            assert_true(graph_law_scored(g, graph_law(g, k, 1)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_all_nulls_fail),
        cmocka_unit_test(test_what_is_only_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
