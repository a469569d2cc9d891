/* SPDX-License-Identifier: MIT */
/* covers: src/ops/lifetime.c src/ops/threads.c src/ops/eval_node.c */
/* How a graph is run: memory, threads, the order of sums, and the runs that are wrong on purpose.
 */
#include "ops_rig.h"

/* Values written over dying operands must not be those still needed, nor the caller's inputs. */
static void test_lifetimes(void **state)
{
    enum { N = 50 };
    const double *v;
    struct rig r;

    (void)state;
    for (int p = 0; p < 2; p++) {
        rig_start(&r);
        int x = add_source(&r, p ? DT_F32 : DT_F64, SHAPE(N), NULL);
        int n = add_op(&r, OP_NEG, NULL, NULL, 1, x); /* x stays */
        int other = add_op(&r, OP_RESHAPE, NULL, &(struct node){.shape = SHAPE(10, 5)}, 1, n);
        int e = add_op(&r, OP_ABS, NULL, NULL, 1, other); /* the view ends here, n does not */
        int s = add_op(&r, OP_MUL, NULL, NULL, 2, n, n);  /* over n? n is needed below */
        int view = add_op(&r, OP_RESHAPE, NULL, &(struct node){.shape = SHAPE(5, 10)}, 1, s);
        int t = add_op(&r, OP_ADD, NULL, NULL, 2, s, n); /* s lives on in its view */
        int w = add_op(&r, OP_EXP, NULL, NULL, 1, t);    /* over t */
        int u = add_op(&r, OP_RESHAPE, NULL, &(struct node){.shape = SHAPE(N)}, 1, view);
        int y = add_op(&r, OP_SUB, NULL, NULL, 2, u, w);

        e = add_op(&r, OP_SQRT, NULL, NULL, 1, e);
        assert_int_equal(graph_add_output(r.g, "x_again", x, &err), 0);
        assert_int_equal(graph_add_output(r.g, "view", view, &err), 0);
        assert_int_equal(graph_add_output(r.g, "y_first", y, &err), 0);
        assert_int_equal(graph_add_output(r.g, "root", e, &err), 0);
        finish(&r, y);
        assert_int_equal(evaluate(&r, p ? &in_float : &in_double), 0);
        v = r.source[0].v;
        for (int i = 0; i < N; i++) {
            double want = v[i] * v[i] - exp(v[i] * v[i] - v[i]);

            assert_true(((double *)r.out[0])[i] == v[i]);
            assert_true(fabs(((double *)r.out[1])[i] - v[i] * v[i]) < 1e-6);
            assert_true(fabs(((double *)r.out[2])[i] - want) < 1e-5);
            assert_true(fabs(((double *)r.out[3])[i] - sqrt(fabs(v[i]))) < 1e-6);
            assert_true(((double *)r.out[4])[i] == ((double *)r.out[2])[i]);
            assert_true(dtype_load(p ? DT_F32 : DT_F64, (char *)r.data[0] + (p ? 4 : 8) * i) ==
                        v[i]);
        }
        rig_end(&r);
    }
}

static void test_peak_bytes(void **state)
{
    struct op_attrs all = {.axes = 1};
    struct rig r;

    (void)state;
    rig_start(&r);
    int x = add_f32(&r, SHAPE(1000)), y = x;
    for (int i = 0; i < 5; i++)
        y = add_op(&r, OP_EXP, NULL, NULL, 1, y);
    finish(&r, add_op(&r, OP_SUM, &all, NULL, 1, y));
    /* double: x is converted, then written over; the sum lands in the caller's room. */
    assert_true(ops_peak_bytes(r.g, OPS_DOUBLE) == 8000);
    /* float: x is read where it is, one intermediate, one sum. */
    assert_true(ops_peak_bytes(r.g, OPS_FLOAT) == 4004);
    rig_end(&r);
}

/* --- honest order, nulls --- */

static void test_order(void **state)
{
    static const struct {
        enum op_code op;
    } cases[] = {{OP_SUM}, {OP_MATMUL}, {OP_CONV}, {OP_CONV_TRANSPOSE}, {OP_AVG_POOL}, {OP_LSTM}};
    struct op_attrs all = {.axes = 3};
    struct op_attrs win = {
        .window = {.nd = 1, .k = {9}, .stride = {2}, .dilation = {1}, .groups = 1}};

    (void)state;
    for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
        enum op_code op = cases[c].op;
        struct rig r;
        int y, changed = 0;

        rig_start(&r);
        if (op == OP_SUM)
            y = add_op(&r, op, &all, NULL, 1, add_f32(&r, SHAPE(30, 100)));
        else if (op == OP_AVG_POOL)
            y = add_op(&r, op, &win, NULL, 1, add_f32(&r, SHAPE(1, 1, 500)));
        else if (op == OP_LSTM)
            y = add_recurrence(&r, op, 3, 2, 40);
        else if (op == OP_MATMUL)
            y = add_op(&r, op, NULL, NULL, 2, add_f32(&r, SHAPE(3, 700)),
                       add_f32(&r, SHAPE(700, 5)));
        else
            y = add_op(&r, op, &win, NULL, 2, add_f32(&r, SHAPE(1, 20, 50)),
                       add_f32(&r, SHAPE(20, 20, 9)));
        finish(&r, y);
        assert_int_equal(evaluate(&r, &in_float), 0);
        int64_t n = result_count(&r, 0);
        AUTO(freep) double *base = xmalloc((size_t)n * 8);
        memcpy(base, r.out[0], (size_t)n * 8);
        for (int order = 1; order < 16; order++) {
            struct ops_run run = {.precision = OPS_FLOAT, .rotation = order};

            assert_int_equal(evaluate(&r, &run), 0);
            changed += memcmp(base, r.out[0], (size_t)n * 8) != 0;
            if (distance(r.out[0], base, n) > 1e-4)
                fail_msg("%s: order %d gives another sum", op_table[op].name, order);
        }
        if (changed < 8)
            fail_msg("%s: %d of 15 orders changed anything", op_table[op].name, changed);
        rig_end(&r);
    }
}

/* x (outer, 2, inner) summed over outer and inner as ops.h says: in order from `first` on, past
 * 65,536 terms in that many lanes, and these in 256 groups. */
static float plain_sum(const float *x, int64_t outer, int64_t inner, int kept, int64_t first)
{
    static float lanes[65536];
    float groups[256] = {0}, sum = 0;
    int64_t n = outer * inner, width = n > 65536 ? 65536 : 1;

    memset(lanes, 0, sizeof(lanes));
    for (int64_t t = 0; t < n; t++) {
        int64_t at = (first + t) % n;

        lanes[t % width] += x[(at / inner * 2 + kept) * inner + at % inner];
    }
    for (int64_t l = 0; l < width; l++)
        groups[l % 256] += lanes[l];
    for (int g = 0; g < 256; g++)
        sum += groups[g];
    return sum;
}

/* Sums in float are the plain loop's, bit for bit. */
static void test_sequential_sum(void **state)
{
    static const int64_t sizes[][2] = {{1, 1000},  {1, 65536}, {1, 65537}, {1, 200000}, {65537, 1},
                                       {3, 40000}, {300, 301}, {5, 100},   {70000, 2}};
    struct op_attrs both = {.axes = 5};

    (void)state;
    for (size_t c = 0; c < ARRAY_SIZE(sizes); c++) {
        int64_t outer = sizes[c][0], inner = sizes[c][1];
        struct rig r;

        rig_start(&r);
        finish(&r, add_op(&r, OP_SUM, &both, NULL, 1, add_f32(&r, SHAPE(outer, 2, inner))));
        for (int order = 0; order < 16; order += 5) {
            struct ops_run run = {.precision = OPS_FLOAT, .rotation = order};

            assert_int_equal(evaluate(&r, &run), 0);
            for (int k = 0; k < 2; k++) {
                float want = plain_sum(r.data[0], outer, inner, k, outer * inner * order / 16);

                if (result(&r, 0).v[k] != (double)want)
                    fail_msg("%ld x 2 x %ld, order %d: %.9g, not %.9g", (long)outer, (long)inner,
                             order, result(&r, 0).v[k], (double)want);
            }
        }
        rig_end(&r);
    }
}

static void test_truncate(void **state)
{
    struct ops_run cut = {.precision = OPS_FLOAT, .truncate = true};
    struct op_attrs last = {.axes = 2}, axis = {.axis = 1};
    const double *v;
    struct rig r;

    (void)state;
    rig_start(&r); /* 40 terms lose 2, and a scan before them is left alone */
    int x = add_f32(&r, SHAPE(3, 40));
    int scan = add_op(&r, OP_CUMSUM, &axis, NULL, 1, x);
    assert_int_equal(graph_add_output(r.g, "scan", scan, &err), 0);
    finish(&r, add_op(&r, OP_SUM, &last, NULL, 1, x));
    assert_true(ops_can_truncate(r.g));
    assert_int_equal(evaluate(&r, &cut), 0);
    v = r.source[0].v;
    for (int i = 0; i < 3; i++) {
        double sum = 0, all = 0;

        for (int k = 0; k < 40; k++) {
            all += v[i * 40 + k];
            sum += k < 38 ? v[i * 40 + k] : 0;
        }
        assert_true(fabs(((double *)r.out[1])[i] - sum) < 1e-5);
        assert_true(fabs(((double *)r.out[0])[i * 40 + 39] - all) < 1e-5);
    }
    rig_end(&r);

    rig_start(&r); /* nothing but a scan: its last terms are not added */
    finish(&r, add_op(&r, OP_CUMSUM, &axis, NULL, 1, add_f32(&r, SHAPE(1, 20))));
    assert_int_equal(evaluate(&r, &cut), 0);
    assert_true(result(&r, 0).v[19] == result(&r, 0).v[18]);
    assert_true(result(&r, 0).v[18] != result(&r, 0).v[17]);
    rig_end(&r);

    rig_start(&r); /* a sum of one term stays */
    finish(&r, add_op(&r, OP_SUM, &last, NULL, 1, add_f32(&r, SHAPE(3, 1))));
    assert_false(ops_can_truncate(r.g));
    assert_int_equal(evaluate(&r, &cut), 0);
    assert_true(result(&r, 0).v[2] == r.source[0].v[2]);
    rig_end(&r);
}

/* What truncation leaves of contractions: the last channels' last taps are gone, nothing else. */
static void test_truncate_contractions(void **state)
{
    struct ops_run cut = {.precision = OPS_FLOAT, .truncate = true, .rotation = 3};
    struct op_attrs win = {
        .window = {.nd = 1, .k = {4}, .stride = {2}, .pad = {1}, .dilation = {1}, .groups = 1}};

    (void)state;
    for (int c = 0; c < 3; c++) {
        enum op_code op = c == 0 ? OP_MATMUL : c == 1 ? OP_CONV : OP_CONV_TRANSPOSE;
        struct rig r;

        rig_start(&r); /* 32 terms lose 2: taps 2 and 3 of channel 7, or rows 30 and 31 */
        int x = add_f32(&r, c ? SHAPE(2, 8, 9) : SHAPE(5, 32));
        int w = add_f32(&r, c ? SHAPE(8, 8, 4) : SHAPE(32, 3));
        finish(&r, add_op(&r, op, c ? &win : NULL, NULL, 2, x, w));
        assert_int_equal(evaluate(&r, &cut), 0);
        struct tensor y = result(&r, 0);
        int64_t n = shape_count(&y.shape);
        AUTO(freep) double *got = xmalloc((size_t)n * 8);
        memcpy(got, y.v, (size_t)n * 8);
        for (int64_t i = 0; i < shape_count(&r.source[1].shape); i++) {
            bool gone = c == 0   ? i / 3 >= 30
                        : c == 1 ? i / 4 % 8 == 7 && i % 4 >= 2
                                 : i / 32 == 7 && i % 4 >= 2;

            if (gone)
                ((float *)r.data[1])[i] = 0;
        }
        assert_int_equal(evaluate(&r, &in_float), 0);
        if (distance(got, result(&r, 0).v, n) > 1e-6)
            fail_msg("%s: other terms are gone", op_table[op].name);
        rig_end(&r);
    }
}

static void test_truncate_windows_and_steps(void **state)
{
    struct ops_run cut = {.precision = OPS_FLOAT, .truncate = true};
    struct op_attrs win = {
        .window = {.nd = 1, .k = {4}, .stride = {4}, .dilation = {1}, .groups = 1}};
    struct rig r;

    (void)state;
    rig_start(&r);
    finish(&r, add_op(&r, OP_AVG_POOL, &win, NULL, 1, add_f32(&r, SHAPE(1, 1, 8))));
    assert_true(ops_can_truncate(r.g));
    assert_int_equal(evaluate(&r, &cut), 0);
    const double *v = r.source[0].v;
    assert_true(fabs(result(&r, 0).v[1] - (v[4] + v[5] + v[6]) / 4) < 1e-6);
    rig_end(&r);

    rig_start(&r);
    finish(&r, add_recurrence(&r, OP_LSTM, 3, 1, 4));
    assert_int_equal(evaluate(&r, &cut), 0);
    assert_memory_equal(result(&r, 0).v + 16, result(&r, 0).v + 8, 8 * 8);
    assert_memory_not_equal(result(&r, 0).v + 8, result(&r, 0).v, 8 * 8);
    rig_end(&r);
}

static void test_nulls_round(void **state)
{
    static const struct {
        enum rounding operands, storage;
        double lo, hi;
    } cases[] = {
        {ROUND_NONE, ROUND_NONE, 2e-8, 1e-6}, {ROUND_TF32, ROUND_NONE, 5e-5, 1e-3},
        {ROUND_BF16, ROUND_NONE, 5e-4, 1e-2}, {ROUND_E4M3, ROUND_NONE, 1e-2, 1e-1},
        {ROUND_NONE, ROUND_BF16, 5e-4, 1e-2}, {ROUND_NONE, ROUND_F16, 5e-5, 1e-3},
    };
    struct op_attrs win = {.window = {.nd = 1, .stride = {1}, .dilation = {1}, .groups = 1}};

    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct rig r;

        rig_start(&r);
        if (kind == 0)
            finish(&r, add_op(&r, OP_MATMUL, NULL, NULL, 2, add_f32(&r, SHAPE(30, 100)),
                              add_f32(&r, SHAPE(100, 40))));
        else if (kind == 1)
            finish(&r, add_op(&r, OP_CONV, &win, NULL, 2, add_f32(&r, SHAPE(2, 20, 50)),
                              add_f32(&r, SHAPE(10, 20, 5))));
        else
            finish(&r, add_recurrence(&r, OP_GRU, 8, 4, 30));
        assert_true(ops_contracts(r.g));
        assert_int_equal(evaluate(&r, &in_double), 0);
        int64_t n = result_count(&r, 0);
        AUTO(freep) double *exact = xmalloc((size_t)n * 8);
        memcpy(exact, r.out[0], (size_t)n * 8);
        for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
            struct ops_run run = {.precision = OPS_FLOAT,
                                  .round_operands = cases[c].operands,
                                  .round_storage = cases[c].storage};

            assert_int_equal(evaluate(&r, &run), 0);
            double d = distance(r.out[0], exact, n);
            if (d < cases[c].lo || d > cases[c].hi)
                fail_msg("graph %d, case %zu: error %g", kind, c, d);
        }
        rig_end(&r);
    }
}

/* Each place where a null rounds, seen alone: 1 + 2^-12 becomes 1 in both formats. */
static void test_nulls_round_places(void **state)
{
    const double zero[] = {0}, one[] = {1}, more[] = {1 + 0x1p-12};
    struct ops_run storage = {.precision = OPS_FLOAT, .round_storage = ROUND_BF16};
    struct ops_run operands = {.precision = OPS_FLOAT, .round_operands = ROUND_TF32};
    struct rig r;

    (void)state;
    rig_start(&r); /* a source: the difference is gone before the op */
    int a = add_source(&r, DT_F32, SHAPE(1), more), b = add_source(&r, DT_F32, SHAPE(1), one);
    finish(&r, add_op(&r, OP_SUB, NULL, NULL, 2, a, b));
    assert_int_equal(evaluate(&r, &storage), 0);
    assert_true(result(&r, 0).v[0] == 0);
    assert_int_equal(evaluate(&r, &operands), 0);
    assert_true(result(&r, 0).v[0] == 0x1p-12);
    rig_end(&r);

    rig_start(&r); /* an output */
    a = add_source(&r, DT_F32, SHAPE(1), one);
    b = add_op(&r, OP_CONST, &(struct op_attrs){.value = 0x1p-12}, &(struct node){.dtype = DT_F32},
               0);
    finish(&r, add_op(&r, OP_ADD, NULL, NULL, 2, a, b));
    assert_int_equal(evaluate(&r, &storage), 0);
    assert_true(result(&r, 0).v[0] == 1);
    rig_end(&r);

    for (int which = 0; which < 2; which++) { /* a recurrence's weights, its state */
        rig_start(&r);
        int x = add_source(&r, DT_F32, SHAPE(1, 1, 1), zero);
        int w = add_source(&r, DT_F32, SHAPE(1, 1), which ? one : more);
        int bias = add_source(&r, DT_F32, SHAPE(1), zero);
        int h = add_source(&r, DT_F32, SHAPE(1, 1), which ? more : one);

        finish(&r, add_op(&r, OP_RNN, NULL, NULL, 4, x, w, bias, h));
        assert_int_equal(evaluate(&r, &operands), 0);
        assert_true(result(&r, 0).v[0] == (double)tanhf(1));
        assert_int_equal(evaluate(&r, &in_float), 0);
        assert_true(result(&r, 0).v[0] != (double)tanhf(1));
        rig_end(&r);
    }
}

static void test_elementwise_graph_contracts_nothing(void **state)
{
    struct rig r;

    (void)state;
    rig_start(&r);
    finish(&r, add_op(&r, OP_EXP, NULL, NULL, 1, add_f32(&r, SHAPE(4))));
    assert_false(ops_contracts(r.g));
    assert_false(ops_can_truncate(r.g));
    rig_end(&r);
}

/* A graph with a bit of everything that asks for memory. */
static int add_mixture(struct rig *r)
{
    struct op_attrs win = {.window = {.nd = 1, .stride = {2}, .dilation = {1}, .groups = 1}};
    struct op_attrs all = {.axes = 7};
    int x = add_f32(r, SHAPE(2, 30, 3000)), w = add_f32(r, SHAPE(30, 20, 5));
    int y = add_op(r, OP_CONV_TRANSPOSE, &win, NULL, 2, x, w);
    int z = add_op(r, OP_MATMUL, &(struct op_attrs){.trans_b = true}, NULL, 2, y, y);
    int s = add_op(r, OP_SUM, &all, NULL, 1, add_op(r, OP_TANH, NULL, NULL, 1, y));

    return add_op(r, OP_ADD, NULL, NULL, 2, z, s);
}

static void test_threads_agree(void **state)
{
    struct rig r;
    void *first = NULL;

    (void)state;
    rig_start(&r);
    finish(&r, add_mixture(&r));
    for (int threads = 1; threads <= 3; threads++) {
        ops_set_threads(threads);
        assert_int_equal(evaluate(&r, &in_float), 0);
        size_t bytes = (size_t)result_count(&r, 0) * 8;
        if (!first) {
            first = xmalloc(bytes);
            memcpy(first, r.out[0], bytes);
        }
        assert_memory_equal(first, r.out[0], bytes);
    }
    ops_set_threads(0);
    free(first);
    rig_end(&r);
}

/* Each capped allocation fails in turn: a clean error, nothing leaked (seen by the sanitizer). */
static void test_no_memory(void **state)
{
    int failures = 0, calls = 0;
    struct rig r;

    (void)state;
    rig_start(&r);
    finish(&r, add_mixture(&r));
    for (int n = 1; n < 100; n++) {
        struct ops_run run = {.precision = OPS_FLOAT, .round_operands = ROUND_TF32};
        char plan[32];

        /* counted since the process began */
        snprintf(plan, sizeof(plan), RIG_FAULT ":%d", calls + n);
        setenv("ASSAY_FAULT", plan, 1);
        int rc = evaluate(&r, &run);
        unsetenv("ASSAY_FAULT");
        if (rc == 0)
            break;
        calls += n;
        failures++;
        assert_int_equal(err.kind, ERR_SYSTEM);
        assert_non_null(strstr(err.text, "not enough memory"));
    }
    assert_in_range(failures, 8, 40);
    rig_end(&r);
}

/* For baselines: floats as they are where the output is one, whoever computes it (an op, a source,
 * a value that others read too), and 8 bytes elsewhere. */
static void test_f32_outputs(void **state)
{
    const struct ops_run narrow = {.precision = OPS_FLOAT, .f32_outputs = true};
    const struct node half = {.dtype = DT_F16};
    struct rig r;

    (void)state;
    rig_start(&r);

    int x = add_f32(&r, SHAPE(5, 7));
    int twice = add_op(&r, OP_ADD, NULL, NULL, 2, x, x);

    assert_int_equal(graph_add_output(r.g, "twice", twice, &err), 0);
    assert_int_equal(graph_add_output(r.g, "same", x, &err), 0);
    assert_int_equal(
        graph_add_output(r.g, "half", add_op(&r, OP_CAST, NULL, &half, 1, twice), &err), 0);
    finish(&r, add_op(&r, OP_MUL, NULL, NULL, 2, twice, x));
    assert_int_equal(evaluate_on_host(&r, &narrow), 0);
    for (int i = 0; i < 35; i++) {
        float v = ((const float *)r.data[0])[i];

        assert_true(((float *)r.out[0])[i] == v + v);
        assert_true(((float *)r.out[1])[i] == v);
        assert_true(((double *)r.out[2])[i] == dtype_round(DT_F16, v + v));
        assert_true(((float *)r.out[3])[i] == (v + v) * v);
    }
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lifetimes),
        cmocka_unit_test(test_peak_bytes),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_sequential_sum),
        cmocka_unit_test(test_truncate),
        cmocka_unit_test(test_truncate_contractions),
        cmocka_unit_test(test_truncate_windows_and_steps),
        cmocka_unit_test(test_nulls_round),
        cmocka_unit_test(test_nulls_round_places),
        cmocka_unit_test(test_elementwise_graph_contracts_nothing),
        cmocka_unit_test(test_threads_agree),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_f32_outputs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
