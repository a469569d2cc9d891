/* SPDX-License-Identifier: MIT */
/* The hard seven: the ops that came with them against plain loops, what every shape costs, and that
 * all of their nulls fail. */
#include "ops_rig.h"

#include "base/fs.h"
#include "judge/admit.h"

static char *tree; /* the share folder */

/* --- ops --- */

static void test_topk(void **state)
{
    enum { ROWS = 5, N = 40, K = 7 };
    double x[ROWS * N];
    struct rig r;
    struct op_attrs axis = {.axis = 1};

    (void)state;
    rig_start(&r);
    for (int i = 0; i < ROWS * N; i++)
        x[i] = floor(4 * noise()); /* eight different values: ties everywhere */
    int in = add_source(&r, DT_F32, SHAPE(ROWS, N), x);
    finish(&r, add_op(&r, OP_TOPK, &axis, &(struct node){.shape = SHAPE(ROWS, K)}, 1, in));
    assert_int_equal(evaluate(&r, &in_double), 0);
    for (int row = 0; row < ROWS; row++) {
        bool taken[N] = {false};

        for (int k = 0; k < K; k++) {
            int best = -1;

            for (int i = 0; i < N; i++)
                if (!taken[i] && (best < 0 || x[row * N + i] > x[row * N + best]))
                    best = i;
            taken[best] = true;
            assert_int_equal(((const int64_t *)r.out[0])[row * K + k], best);
        }
    }
    rig_end(&r);
}

static void test_topk_along_the_first_axis(void **state)
{
    const double x[] = {1, 9, 3, 9, 5, 9, 5, 0};
    const int64_t want[] = {2, 0, 3, 1};
    struct rig r;
    struct op_attrs axis = {.axis = 0};

    (void)state;
    rig_start(&r);
    int in = add_source(&r, DT_F32, SHAPE(4, 2), x);
    finish(&r, add_op(&r, OP_TOPK, &axis, &(struct node){.shape = SHAPE(2, 2)}, 1, in));
    assert_int_equal(evaluate(&r, &in_float), 0);
    assert_memory_equal(r.out[0], want, sizeof(want));
    rig_end(&r);
}

static void test_grouped_matmul(void **state)
{
    enum { T = 23, K = 19, N = 17, G = 5 };
    const double ends[] = {0, 4, 4, 20, 22, 23}; /* one is empty, one is crowded */
    double want[T * N];
    struct rig r;

    (void)state;
    rig_start(&r);
    int x = add_f32(&r, SHAPE(T, K)), w = add_f32(&r, SHAPE(G, K, N));
    int offsets = add_source(&r, DT_I32, SHAPE(G + 1), ends);
    for (int i = 0; i < T * N; i++) {
        int g = 0;

        while (ends[g + 1] <= i / N)
            g++;
        want[i] = 0;
        for (int k = 0; k < K; k++)
            want[i] += r.source[0].v[i / N * K + k] * r.source[1].v[(g * K + k) * N + i % N];
    }
    check(&r, add_op(&r, OP_GROUPED_MATMUL, NULL, NULL, 3, x, w, offsets), want, "grouped matmul");
    rig_end(&r);
}

static void test_offsets_that_make_no_sense(void **state)
{
    static const struct {
        double ends[3];
        const char *text;
    } cases[] = {
        {{0, 5, 4}, "offset 1 is above the next one"},
        {{1, 2, 4}, "offsets run from 1 to 4, not from 0 to 4"},
        {{0, 2, 3}, "offsets run from 0 to 3, not from 0 to 4"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct rig r;

        rig_start(&r);
        int x = add_f32(&r, SHAPE(4, 3)), w = add_f32(&r, SHAPE(2, 3, 2));
        int offsets = add_source(&r, DT_I64, SHAPE(3), cases[i].ends);
        finish(&r, add_op(&r, OP_GROUPED_MATMUL, NULL, NULL, 3, x, w, offsets));
        assert_int_equal(evaluate(&r, &in_double), -1);
        assert_non_null(strstr(err.text, cases[i].text));
        rig_end(&r);
    }
}

/* The chunk form of the gated delta rule, one sequence and head, C steps to a chunk (hard/02's
 * published reference, in double). g: log-decays, not cumulated. */
enum { STEPS = 96, C = 32, KEYS = 11, VALUES = 5 };

static void run_chunk(const double *q, const double *k, const double *v, const double *g,
                      const double *beta, double (*state)[VALUES], double *o)
{
    double sum[C][KEYS], a[C][C] = {{0}}, w[C][KEYS] = {{0}}, u[C][VALUES] = {{0}};

    for (int c = 0; c < C; c++)
        for (int d = 0; d < KEYS; d++)
            sum[c][d] = g[c * KEYS + d] + (c ? sum[c - 1][d] : 0);
    for (int c = 0; c < C; c++)
        for (int i = 0; i < c; i++)
            for (int d = 0; d < KEYS; d++)
                a[c][i] -= beta[c] * k[c * KEYS + d] * exp(sum[c][d] - sum[i][d]) * k[i * KEYS + d];
    for (int i = 1; i < C; i++) { /* forward substitution: (I + L)^-1 - I */
        double row[C];

        memcpy(row, a[i], sizeof(row));
        for (int m = 0; m < i; m++)
            for (int j = 0; j < m; j++)
                row[j] += a[i][m] * a[m][j];
        memcpy(a[i], row, sizeof(row));
    }
    for (int i = 0; i < C; i++)
        for (int j = 0; j <= i; j++) {
            double weight = (a[i][j] + (i == j)) * beta[j];

            for (int d = 0; d < KEYS; d++)
                w[i][d] += weight * exp(sum[j][d]) * k[j * KEYS + d];
            for (int d = 0; d < VALUES; d++)
                u[i][d] += weight * v[j * VALUES + d];
        }
    for (int c = 0; c < C; c++)
        for (int e = 0; e < VALUES; e++)
            for (int d = 0; d < KEYS; d++)
                u[c][e] -= w[c][d] * state[d][e];
    for (int c = 0; c < C; c++)
        for (int e = 0; e < VALUES; e++) {
            double out = 0;

            for (int d = 0; d < KEYS; d++) {
                out += q[c * KEYS + d] * exp(sum[c][d]) * state[d][e];
                for (int j = 0; j <= c; j++)
                    out += q[c * KEYS + d] * exp(sum[c][d] - sum[j][d]) * k[j * KEYS + d] * u[j][e];
            }
            o[c * VALUES + e] = out;
        }
    for (int d = 0; d < KEYS; d++)
        for (int e = 0; e < VALUES; e++) {
            state[d][e] *= exp(sum[C - 1][d]);
            for (int c = 0; c < C; c++)
                state[d][e] += exp(sum[C - 1][d] - sum[c][d]) * k[c * KEYS + d] * u[c][e];
        }
}

static void test_delta_rule_agrees_with_its_chunk_form(void **state)
{
    double g[STEPS * KEYS], beta[STEPS], k[STEPS * KEYS], decay[STEPS * KEYS];
    double want[STEPS * VALUES], carried[KEYS][VALUES] = {{0}};
    struct rig r;

    (void)state;
    for (int i = 0; i < STEPS * KEYS; i++) {
        g[i] = 0.05 * noise() - 0.03;
        decay[i] = exp(g[i]);
        k[i] = 0.4 * noise();
    }
    for (int i = 0; i < STEPS; i++)
        beta[i] = 0.5 + 0.4 * noise();
    rig_start(&r);
    int q = add_source(&r, DT_F64, SHAPE(1, STEPS, 1, KEYS), NULL);
    int key = add_source(&r, DT_F64, SHAPE(1, STEPS, 1, KEYS), k);
    int v = add_source(&r, DT_F64, SHAPE(1, STEPS, 1, VALUES), NULL);
    int d = add_source(&r, DT_F32, SHAPE(1, STEPS, 1, KEYS), decay); /* its dtype may differ */
    int b = add_source(&r, DT_F64, SHAPE(1, STEPS, 1), beta);
    for (int i = 0; i < STEPS * KEYS; i++)
        g[i] = log(r.source[3].v[i]);
    for (int t = 0; t < STEPS; t += C)
        run_chunk(r.source[0].v + t * KEYS, k + t * KEYS, r.source[2].v + t * VALUES, g + t * KEYS,
                  beta + t, carried, want + t * VALUES);
    check(&r, add_op(&r, OP_DELTA_RULE, NULL, NULL, 5, q, key, v, d, b), want, "delta rule");
    rig_end(&r);
}

/* Sequences and heads do not mix. */
static void test_delta_rule_keeps_heads_apart(void **state)
{
    enum { B = 2, T = 3, H = 2, K = 2, V = 3 };
    double want[B * T * H * V];
    struct rig r;

    (void)state;
    rig_start(&r);
    int q = add_f32(&r, SHAPE(B, T, H, K)), k = add_f32(&r, SHAPE(B, T, H, K));
    int v = add_f32(&r, SHAPE(B, T, H, V)), d = add_f32(&r, SHAPE(B, T, H, K));
    int b = add_f32(&r, SHAPE(B, T, H));
    for (int i = 0; i < B * H * V; i++) {
        double s[K] = {0};

        for (int t = 0; t < T; t++) {
            int at = (i / V / H * T + t) * H + i / V % H;
            double known = 0, out = 0;

            for (int j = 0; j < K; j++) {
                s[j] *= r.source[3].v[at * K + j];
                known += s[j] * r.source[1].v[at * K + j];
            }
            for (int j = 0; j < K; j++) {
                s[j] += r.source[4].v[at] * r.source[1].v[at * K + j] *
                        (r.source[2].v[at * V + i % V] - known);
                out += s[j] * r.source[0].v[at * K + j];
            }
            want[at * V + i % V] = out;
        }
    }
    check(&r, add_op(&r, OP_DELTA_RULE, NULL, NULL, 5, q, k, v, d, b), want, "delta rule");
    rig_end(&r);
}

/* Only the dtype changes: nothing is rounded before the output is. */
static void test_unrounded_cast(void **state)
{
    const double x[] = {1 + 0x1p-20};
    struct op_attrs keep = {.keep = true}, all = {.axes = 1};
    struct rig r;

    (void)state;
    rig_start(&r);
    int in = add_source(&r, DT_F32, SHAPE(1), x);
    int y = add_op(&r, OP_CAST, &keep, &(struct node){.dtype = DT_BF16}, 1, in);
    finish(&r, add_op(&r, OP_SUM, &all, NULL, 1, y));
    assert_int_equal(evaluate(&r, &in_double), 0);
    assert_true(result(&r, 0).v[0] == x[0]);
    assert_int_equal(evaluate(&r, &in_float), 0);
    assert_true(result(&r, 0).v[0] == 1);
    rig_end(&r);
}

/* 1 and 4095 terms of 0.9 x 2^-24: a float sum in order keeps nothing of them. */
static void test_compensated_sums(void **state)
{
    enum { N = 4096 };
    double x[N];
    struct op_attrs axis = {.axes = 1};
    struct ops_run compensated = {.precision = OPS_FLOAT, .compensated = true};
    struct rig r;

    (void)state;
    for (int i = 0; i < N; i++)
        x[i] = i ? 0.9 * 0x1p-24 : 1;
    rig_start(&r);
    int in = add_source(&r, DT_F32, SHAPE(N), x);
    finish(&r, add_op(&r, OP_SUM, &axis, NULL, 1, in));
    assert_int_equal(evaluate(&r, &in_float), 0);
    assert_true(result(&r, 0).v[0] == 1);
    assert_int_equal(evaluate(&r, &compensated), 0);
    assert_true(fabs(result(&r, 0).v[0] / (1 + 4095 * 0.9 * 0x1p-24) - 1) < 0x1p-24);
    rig_end(&r);
}

/* --- costs --- */

static struct problem *load(const char *name)
{
    AUTO(freep) char *path = xasprintf("%s/problems/hard/%s.lua", tree, name);
    AUTO(freep) char *full = xasprintf("hard/%s", name);
    struct problem *p = NULL;

    if (problem_load(path, full, &p, &err) < 0)
        fail_msg("%s", err.text);
    return p;
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
        AUTO(problem_freep) struct problem *p = load(problems[i].name);
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
        AUTO(problem_freep) struct problem *p = load(problems[i].name);

        for (int k = 0; k < p->n_sizes[SIZES_SMALL]; k++) {
            const struct graph *g = p->sizes[SIZES_SMALL][k].graph;
            struct admit_result r;

            assert_true(g->n_nulls >= 3);
            assert_int_equal(admit_size(p, g, 7 + (uint64_t)k, &r, &err), 0);
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
        AUTO(problem_freep) struct problem *p = load(names[i]);
        const struct graph *g = p->sizes[SIZES_SMALL][0].graph;
        int first = graph_first_scored(g);

        assert_int_equal(first, LAW_ROUNDS * g->n_laws);
        assert_true(graph_law_scored(g, 0));
        assert_false(graph_law_scored(g, 1));
        for (int k = 0; k < first; k++)
            assert_int_equal(graph_law(g, k), k % g->n_laws);
        for (int k = first; k < first + 3 * g->n_laws; k++)
            assert_true(graph_law_scored(g, graph_law(g, k)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topk),
        cmocka_unit_test(test_topk_along_the_first_axis),
        cmocka_unit_test(test_grouped_matmul),
        cmocka_unit_test(test_offsets_that_make_no_sense),
        cmocka_unit_test(test_delta_rule_agrees_with_its_chunk_form),
        cmocka_unit_test(test_delta_rule_keeps_heads_apart),
        cmocka_unit_test(test_unrounded_cast),
        cmocka_unit_test(test_compensated_sums),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_all_nulls_fail),
        cmocka_unit_test(test_what_is_only_checked),
    };
    int failed;

    tree = fs_share_dir();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(tree);
    return failed;
}
