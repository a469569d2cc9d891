/* SPDX-License-Identifier: MIT */
/* covers: src/ops/eval_node.c src/ops/host.c */
/* The core ops that came with the hard problems, against plain loops written another way. */
#include "ops_rig.h"

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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
