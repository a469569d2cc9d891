/* SPDX-License-Identifier: MIT */
/* covers: src/ops/conv.c src/ops/convert.c src/ops/eval_node.c src/ops/host.c */
/* covers: src/ops/loops_i64.c src/ops/walk.c */
/* Every core op, through a graph, against plain loops written another way. */
#include "ops_rig.h"

/* --- elementwise --- */

static double negate(double x)
{
    return -x;
}

static void test_unary(void **state)
{
    static const struct {
        enum op_code op;
        double (*fn)(double);
        bool positive;
    } cases[] = {
        {OP_NEG, negate, false}, {OP_ABS, fabs, false},    {OP_SQRT, sqrt, true},
        {OP_EXP, exp, false},    {OP_EXPM1, expm1, false}, {OP_LOG, log, true},
        {OP_LOG1P, log1p, true}, {OP_TANH, tanh, false},   {OP_ERF, erf, false},
        {OP_SIN, sin, false},    {OP_COS, cos, false},     {OP_FLOOR, floor, false},
    };

    (void)state;
    for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
        struct shape s = SHAPE(3, 37);
        double x[111], want[111];
        struct rig r;

        rig_start(&r);
        for (int i = 0; i < 111; i++)
            x[i] = cases[c].positive ? noise() + 1.5 : 3 * noise();
        int in = add_source(&r, DT_F32, s, x);
        for (int i = 0; i < 111; i++)
            want[i] = cases[c].fn(r.source[0].v[i]);
        check(&r, add_op(&r, cases[c].op, NULL, NULL, 1, in), want, op_table[cases[c].op].name);
        rig_end(&r);
    }
}

static double binary(enum op_code op, double a, double b)
{
    switch (op) {
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_DIV:
        return a / b;
    case OP_POW:
        return pow(a, b);
    case OP_MINIMUM:
        return fmin(a, b);
    case OP_MAXIMUM:
        return fmax(a, b);
    case OP_LT:
        return a < b;
    case OP_LE:
        return a <= b;
    case OP_GT:
        return a > b;
    case OP_GE:
        return a >= b;
    case OP_EQ:
        return a == b;
    default:
        return a != b;
    }
}

static const struct {
    int64_t a[5], b[5]; /* rank first */
} broadcasts[] = {
    {{0}, {0}},
    {{1, 7}, {0}},
    {{0}, {1, 7}},
    {{2, 5, 9}, {2, 5, 9}},
    {{2, 5, 9}, {1, 9}},
    {{2, 5, 9}, {2, 5, 1}},
    {{2, 5, 1}, {2, 1, 9}},
    {{1, 9}, {2, 5, 1}},
    {{3, 4, 1, 6}, {3, 1, 5, 6}},
    {{4, 2, 3, 4, 5}, {3, 3, 1, 1}},
    {{4, 2, 1, 4, 1}, {4, 1, 3, 1, 5}},
    {{2, 1, 1}, {3, 2, 3, 4}},
};

static void test_broadcast(void **state)
{
    (void)state;
    for (int op = OP_ADD; op <= OP_NE; op++) {
        for (size_t c = 0; c < ARRAY_SIZE(broadcasts); c++) {
            struct shape a = shape_of(broadcasts[c].a + 1, (size_t)broadcasts[c].a[0]);
            struct shape b = shape_of(broadcasts[c].b + 1, (size_t)broadcasts[c].b[0]);
            struct shape out;
            int64_t at[SHAPE_MAX_RANK];
            struct rig r;
            char what[64];

            rig_start(&r);
            int na = add_f32(&r, a), nb = add_f32(&r, b);
            for (int64_t i = 0; op == OP_POW && i < shape_count(&a); i++)
                ((float *)r.data[0])[i] = (float)(r.source[0].v[i] = fabs(r.source[0].v[i]));
            int y = add_op(&r, op, NULL, NULL, 2, na, nb);
            assert_true(shape_broadcast(&a, &b, &out));
            AUTO(freep) double *want = room(&out);
            for (int64_t i = 0; i < shape_count(&out); i++) {
                coords(&out, i, at);
                want[i] = binary(op, fetch(&r.source[0], &out, at), fetch(&r.source[1], &out, at));
            }
            if (op >= OP_LT) /* through where, so that bool shows as 0 and 1 */
                y = add_op(&r, OP_CAST, NULL, &(struct node){.dtype = DT_F32}, 1, y);
            snprintf(what, sizeof(what), "%s, case %zu", op_table[op].name, c);
            check(&r, y, want, what);
            rig_end(&r);
        }
    }
}

static void test_where_and_logic(void **state)
{
    struct shape s = SHAPE(4, 5);
    struct rig r;
    double want[20];

    (void)state;
    rig_start(&r);
    int a = add_f32(&r, s), b = add_f32(&r, SHAPE(5)), c = add_f32(&r, SHAPE(4, 1));
    int lt = add_op(&r, OP_LT, NULL, NULL, 2, a, b), gt = add_op(&r, OP_GT, NULL, NULL, 2, a, c);
    int both = add_op(&r, OP_AND, NULL, NULL, 2, lt, gt);
    int not_lt = add_op(&r, OP_NOT, NULL, NULL, 1, lt);
    int any = add_op(&r, OP_OR, NULL, NULL, 2, both, not_lt);
    int y = add_op(&r, OP_WHERE, NULL, NULL, 3, any, c, b);

    for (int i = 0; i < 20; i++) {
        double va = r.source[0].v[i], vb = r.source[1].v[i % 5], vc = r.source[2].v[i / 5];

        want[i] = (va < vb && va > vc) || !(va < vb) ? vc : vb;
    }
    check(&r, y, want, "where");
    rig_end(&r);
}

static void test_nan_wins(void **state)
{
    const double a[] = {NAN, 1, 2}, b[] = {1, NAN, 3};
    struct op_attrs all = {.axes = 1};
    struct rig r;

    (void)state;
    for (int op = OP_MINIMUM; op <= OP_MAXIMUM; op++) {
        rig_start(&r);
        int x = add_source(&r, DT_F32, SHAPE(3), a), y = add_source(&r, DT_F32, SHAPE(3), b);
        finish(&r, add_op(&r, op, NULL, NULL, 2, x, y));
        assert_int_equal(evaluate(&r, &in_float), 0);
        assert_true(isnan(result(&r, 0).v[0]) && isnan(result(&r, 0).v[1]));
        assert_true(result(&r, 0).v[2] == (op == OP_MINIMUM ? 2 : 3));
        rig_end(&r);
    }
    for (int op = OP_MAX; op <= OP_ARGMIN; op++) {
        rig_start(&r);
        finish(&r, add_op(&r, op, &all, NULL, 1, add_source(&r, DT_F32, SHAPE(3), b)));
        assert_int_equal(evaluate(&r, &in_float), 0);
        if (op == OP_MAX || op == OP_MIN)
            assert_true(isnan(result(&r, 0).v[0]));
        else
            assert_int_equal(((int64_t *)r.out[0])[0], 1);
        rig_end(&r);
    }
}

static void test_integers(void **state)
{
    static const struct {
        enum op_code op;
        double a, b;
        int64_t want;
    } cases[] = {
        {OP_ADD, 7, -9, -2},         {OP_SUB, 7, -9, 16},   {OP_MUL, 7, -9, -63},
        {OP_POW, -3, 3, -27},        {OP_POW, 2, 10, 1024}, {OP_POW, 5, 0, 1},
        {OP_POW, 2, -1, 0},          {OP_POW, -1, -3, -1},  {OP_MINIMUM, 4, -4, -4},
        {OP_MAXIMUM, 4, -4, 4},      {OP_LT, 1, 2, 1},      {OP_GE, 1, 2, 0},
        {OP_MUL, 0x1p40, 0x1p40, 0},
    };

    (void)state;
    for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
        struct rig r;

        rig_start(&r);
        int a = add_source(&r, DT_I64, SHAPE(1), &cases[c].a);
        int b = add_source(&r, DT_I64, SHAPE(1), &cases[c].b);
        finish(&r, add_op(&r, cases[c].op, NULL, NULL, 2, a, b));
        assert_int_equal(evaluate(&r, &in_double), 0);
        assert_int_equal(((int64_t *)r.out[0])[0], cases[c].want);
        rig_end(&r);
    }
}

static void test_integer_sums(void **state)
{
    const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, -1, 0, 2, 7, 1};
    const int64_t want[] = {1 + 0 + 21, -1 + 4 + 3, 4 + 0 + 42, -4 + 10 + 6};
    struct op_attrs last = {.axes = 2};
    struct rig r;

    (void)state;
    rig_start(&r);
    int x = add_source(&r, DT_I32, SHAPE(2, 3), a), w = add_source(&r, DT_I32, SHAPE(3, 2), b);
    int y = add_op(&r, OP_MATMUL, NULL, NULL, 2, x, w);
    int z = add_op(&r, OP_MAX, &last, NULL, 1, y);
    assert_int_equal(graph_add_output(r.g, "z", z, &err), 0);
    finish(&r, y);
    assert_int_equal(evaluate(&r, &in_float), 0);
    assert_memory_equal(r.out[1], want, sizeof(want));
    assert_int_equal(((int64_t *)r.out[0])[0], 22);
    assert_int_equal(((int64_t *)r.out[0])[1], 46);
    rig_end(&r);
}

/* --- reductions --- */

static double reduce(enum op_code op, double acc, double x)
{
    return op == OP_SUM    ? acc + x
           : op == OP_PROD ? acc * x
           : op == OP_MAX  ? fmax(acc, x)
                           : fmin(acc, x);
}

static const struct {
    int64_t shape[6];
    uint32_t axes;
} reductions[] = {
    {{1, 37}, 1},          {{2, 5, 300}, 1},         {{2, 300, 5}, 1},
    {{2, 30, 5}, 2},       {{2, 19, 33}, 2},         {{2, 7, 9}, 3},
    {{3, 4, 5, 6}, 1},     {{3, 4, 5, 20}, 2},       {{3, 4, 5, 6}, 4},
    {{3, 4, 5, 6}, 5},     {{3, 4, 5, 6}, 3},        {{3, 4, 5, 6}, 6},
    {{4, 3, 4, 5, 6}, 13}, {{4, 3, 4, 5, 6}, 10},    {{4, 3, 1, 5, 1}, 6},
    {{1, 1}, 1},           {{5, 2, 3, 2, 3, 4}, 21}, {{2, 3, 600}, 1},
    {{1, 70001}, 1},       {{2, 2, 40000}, 3},
};

static void test_reduce(void **state)
{
    (void)state;
    for (int op = OP_SUM; op <= OP_MIN; op++) {
        for (size_t c = 0; c < ARRAY_SIZE(reductions); c++) {
            struct shape s = shape_of(reductions[c].shape + 1, (size_t)reductions[c].shape[0]);
            struct op_attrs attrs = {.axes = reductions[c].axes, .keep = true};
            struct shape kept = s;
            int64_t at[SHAPE_MAX_RANK], n = shape_count(&s);
            struct rig r;
            char what[64];

            rig_start(&r);
            AUTO(freep) double *x = room(&s);
            for (int64_t i = 0; i < n; i++)
                x[i] = op == OP_PROD ? 1 + noise() / (double)(n / 8 + 1) : 1 + noise();
            int y = add_op(&r, op, &attrs, NULL, 1, add_source(&r, DT_F32, s, x));
            for (int d = 0; d < s.rank; d++)
                kept.dim[d] = attrs.axes >> d & 1 ? 1 : s.dim[d];
            AUTO(freep) double *want = room(&kept);
            for (int64_t i = 0; i < shape_count(&kept); i++)
                want[i] = op == OP_SUM ? 0 : op == OP_PROD ? 1 : op == OP_MAX ? -99 : 99;
            for (int64_t i = 0; i < n; i++) {
                coords(&s, i, at);
                for (int d = 0; d < s.rank; d++)
                    at[d] = kept.dim[d] == 1 ? 0 : at[d];
                int64_t to = place(&kept, at);
                want[to] = reduce(op, want[to], r.source[0].v[i]);
            }
            snprintf(what, sizeof(what), "%s, case %zu", op_table[op].name, c);
            check(&r, y, want, what);
            rig_end(&r);
        }
    }
}

static void test_arg(void **state)
{
    const double x[] = {3, 7, 7, 1, 1, 7, /* */ 2, 2, 2, 2, 2, 2};
    static const struct {
        enum op_code op;
        uint32_t axes;
        int64_t n, want[6];
    } cases[] = {
        {OP_ARGMAX, 2, 2, {1, 0}},
        {OP_ARGMIN, 2, 2, {3, 0}},
        {OP_ARGMAX, 1, 6, {0, 0, 0, 1, 1, 0}},
        {OP_ARGMIN, 1, 6, {1, 1, 1, 0, 0, 1}},
    };

    (void)state;
    for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
        struct op_attrs attrs = {.axes = cases[c].axes};
        struct rig r;

        rig_start(&r);
        finish(&r,
               add_op(&r, cases[c].op, &attrs, NULL, 1, add_source(&r, DT_F32, SHAPE(2, 6), x)));
        assert_int_equal(evaluate(&r, &in_float), 0);
        assert_memory_equal(r.out[0], cases[c].want, (size_t)cases[c].n * 8);
        rig_end(&r);
    }
}

static void test_scan(void **state)
{
    (void)state;
    for (int op = OP_CUMSUM; op <= OP_CUMPROD; op++) {
        for (int axis = 0; axis < 3; axis++) {
            struct shape s = SHAPE(3, 7, 300);
            struct op_attrs attrs = {.axis = axis};
            int64_t at[SHAPE_MAX_RANK];
            struct rig r;

            rig_start(&r);
            AUTO(freep) double *x = room(&s);
            for (int64_t i = 0; i < shape_count(&s); i++)
                x[i] = 1 + noise() / 20;
            int in = add_source(&r, DT_F32, s, x);
            AUTO(freep) double *want = room(&s);
            for (int64_t i = 0; i < shape_count(&s); i++) {
                coords(&s, i, at);
                int64_t t = at[axis]--;
                double before = t ? want[place(&s, at)] : op == OP_CUMSUM ? 0 : 1;
                want[i] = op == OP_CUMSUM ? before + r.source[0].v[i] : before * r.source[0].v[i];
            }
            check(&r, add_op(&r, op, &attrs, NULL, 1, in), want, op_table[op].name);
            rig_end(&r);
        }
    }
}

/* --- contractions --- */

static const struct {
    int64_t a[6], b[6];
    bool ta, tb;
} products[] = {
    {{2, 3, 4}, {2, 4, 5}, false, false},
    {{2, 4, 3}, {2, 4, 5}, true, false},
    {{2, 3, 4}, {2, 5, 4}, false, true},
    {{2, 40, 33}, {2, 70, 40}, true, true},
    {{2, 1, 300}, {2, 300, 1}, false, false},
    {{2, 129, 257}, {2, 257, 3}, false, false},
    {{2, 5, 300}, {2, 300, 67}, false, false},
    {{2, 300, 1}, {2, 1, 300}, false, false},
    {{3, 2, 30, 40}, {2, 40, 50}, false, false},
    {{3, 2, 40, 30}, {2, 40, 50}, true, false},
    {{2, 30, 40}, {3, 2, 40, 50}, false, false},
    {{4, 2, 1, 30, 40}, {3, 3, 40, 50}, false, false},
    {{4, 2, 3, 8, 16}, {4, 2, 3, 9, 16}, false, true},
    {{4, 1, 3, 8, 16}, {4, 2, 1, 16, 9}, false, false},
};

static void test_matmul(void **state)
{
    (void)state;
    for (size_t c = 0; c < ARRAY_SIZE(products); c++) {
        struct shape a = shape_of(products[c].a + 1, (size_t)products[c].a[0]);
        struct shape b = shape_of(products[c].b + 1, (size_t)products[c].b[0]);
        struct op_attrs attrs = {.trans_a = products[c].ta, .trans_b = products[c].tb};
        struct rig r;
        char what[32];

        rig_start(&r);
        int na = add_f32(&r, a), nb = add_f32(&r, b);
        int y = add_op(&r, OP_MATMUL, &attrs, NULL, 2, na, nb);
        struct shape out = r.g->nodes[y].shape;
        int64_t k = a.dim[a.rank - (attrs.trans_a ? 2 : 1)];
        AUTO(freep) double *want = room(&out);
        for (int64_t i = 0; i < shape_count(&out); i++) {
            int64_t at[SHAPE_MAX_RANK], pa[SHAPE_MAX_RANK], pb[SHAPE_MAX_RANK];
            int la = out.rank - 2, lb = out.rank - 1;

            coords(&out, i, at);
            for (int64_t t = 0; t < k; t++) {
                memcpy(pa, at, sizeof(at));
                memcpy(pb, at, sizeof(at));
                pa[la] = attrs.trans_a ? t : at[la];
                pa[lb] = attrs.trans_a ? at[la] : t;
                pb[la] = attrs.trans_b ? at[lb] : t;
                pb[lb] = attrs.trans_b ? t : at[lb];
                want[i] += fetch(&r.source[0], &out, pa) * fetch(&r.source[1], &out, pb);
            }
        }
        snprintf(what, sizeof(what), "matmul, case %zu", c);
        check(&r, y, want, what);
        rig_end(&r);
    }
}

static const struct {
    int64_t x[6], w[6];
    struct window win;
} convs[] = {
    {{3, 2, 3, 20},
     {3, 4, 3, 3},
     {.nd = 1, .stride = {1}, .pad = {0}, .dilation = {1}, .groups = 1}},
    {{3, 2, 4, 300},
     {3, 6, 2, 5},
     {.nd = 1, .stride = {3}, .pad = {4}, .dilation = {2}, .groups = 2}},
    {{4, 2, 3, 9, 11},
     {4, 5, 3, 3, 3},
     {.nd = 2, .stride = {1, 1}, .pad = {1, 1}, .dilation = {1, 1}, .groups = 1}},
    {{4, 2, 4, 12, 10},
     {4, 8, 2, 3, 2},
     {.nd = 2, .stride = {2, 3}, .pad = {2, 1}, .dilation = {2, 1}, .groups = 2}},
    {{4, 1, 6, 17, 19},
     {4, 6, 1, 5, 3},
     {.nd = 2, .stride = {1, 2}, .pad = {2, 0}, .dilation = {1, 3}, .groups = 6}},
    {{4, 3, 40, 7, 7},
     {4, 130, 40, 1, 1},
     {.nd = 2, .stride = {1, 1}, .pad = {0, 0}, .dilation = {1, 1}, .groups = 1}},
    {{4, 1, 2, 3, 3},
     {4, 3, 2, 7, 7},
     {.nd = 2, .stride = {1, 1}, .pad = {3, 3}, .dilation = {1, 1}, .groups = 1}},
    {{5, 2, 4, 6, 7, 8},
     {5, 6, 2, 3, 2, 3},
     {.nd = 3, .stride = {2, 1, 2}, .pad = {1, 0, 2}, .dilation = {1, 2, 1}, .groups = 2}},
};

/* Every (output, input, tap) triple, found by trying: y[.., o] meets x[.., i] where
 * o * stride - pad + tap * dilation == i. The transposed one swaps the two. */
static void naive_conv(const struct tensor *small, const struct tensor *weights, struct tensor *big,
                       const struct window *win, bool forward, double *out)
{
    int64_t s[SHAPE_MAX_RANK], k[SHAPE_MAX_RANK];
    const struct shape *ss = &small->shape, *ws = &weights->shape;
    int64_t og = ss->dim[1] / win->groups;

    for (int64_t i = 0; i < shape_count(ss); i++) {
        int64_t each = shape_count(ws) / ws->dim[0];

        coords(ss, i, s);
        for (int64_t j = s[1] * each, end = j + each; j < end; j++) {
            bool inside = true;

            coords(ss, i, s);
            coords(ws, j, k);
            s[1] = s[1] / og * ws->dim[1] + k[1]; /* now the channel of the big side */
            for (int d = 0; d < win->nd; d++) {
                s[d + 2] = s[d + 2] * win->stride[d] - win->pad[d] + k[d + 2] * win->dilation[d];
                inside = inside && s[d + 2] >= 0 && s[d + 2] < big->shape.dim[d + 2];
            }
            if (!inside)
                continue;
            if (forward)
                out[i] += big->v[place(&big->shape, s)] * weights->v[j];
            else
                out[place(&big->shape, s)] += small->v[i] * weights->v[j];
        }
    }
}

static void test_conv(void **state)
{
    (void)state;
    for (size_t c = 0; c < ARRAY_SIZE(convs); c++) {
        for (int with_bias = 0; with_bias < 2; with_bias++) {
            struct shape x = shape_of(convs[c].x + 1, (size_t)convs[c].x[0]);
            struct shape w = shape_of(convs[c].w + 1, (size_t)convs[c].w[0]);
            struct op_attrs attrs = {.window = convs[c].win};
            struct rig r;
            char what[32];

            rig_start(&r);
            int nx = add_f32(&r, x), nw = add_f32(&r, w), nb = -1;
            if (with_bias)
                nb = add_f32(&r, SHAPE(w.dim[0]));
            int y = add_op(&r, OP_CONV, &attrs, NULL, 2 + with_bias, nx, nw, nb);
            struct tensor out = {r.g->nodes[y].shape, NULL};
            AUTO(freep) double *want = room(&out.shape);
            naive_conv(&out, &r.source[1], &r.source[0], &convs[c].win, true, want);
            for (int64_t i = 0; with_bias && i < shape_count(&out.shape); i++) {
                int64_t at[SHAPE_MAX_RANK];

                coords(&out.shape, i, at);
                want[i] += r.source[2].v[at[1]];
            }
            snprintf(what, sizeof(what), "conv, case %zu", c);
            check(&r, y, want, what);
            rig_end(&r);
        }
    }
}

/* x here has the small side's shape: that of the convolution's output. */
static void test_conv_transpose(void **state)
{
    (void)state;
    for (size_t c = 0; c < ARRAY_SIZE(convs); c++) {
        for (int output_pad = 0; output_pad < 2; output_pad++) {
            struct shape w = shape_of(convs[c].w + 1, (size_t)convs[c].w[0]);
            struct op_attrs attrs = {.window = convs[c].win};
            struct shape x = {.rank = w.rank, .dim = {2, w.dim[0]}};
            struct rig r;
            char what[40];

            for (int d = 0; d < attrs.window.nd; d++) {
                x.dim[d + 2] = 4 + d;
                if (attrs.window.stride[d] > 1)
                    attrs.window.output_pad[d] = output_pad;
            }
            rig_start(&r);
            int nx = add_f32(&r, x), nw = add_f32(&r, w);
            int nb = add_f32(&r, SHAPE(w.dim[1] * attrs.window.groups));
            int y = add_op(&r, OP_CONV_TRANSPOSE, &attrs, NULL, 3, nx, nw, nb);
            struct tensor out = {r.g->nodes[y].shape, NULL};
            AUTO(freep) double *want = room(&out.shape);
            naive_conv(&r.source[0], &r.source[1], &out, &convs[c].win, false, want);
            for (int64_t i = 0; i < shape_count(&out.shape); i++) {
                int64_t at[SHAPE_MAX_RANK];

                coords(&out.shape, i, at);
                want[i] += r.source[2].v[at[1]];
            }
            snprintf(what, sizeof(what), "conv_transpose, case %zu", c);
            check(&r, y, want, what);
            rig_end(&r);
        }
    }
}

/* -(1 + 2^-11) + (1 + 2^-12)^2 is 2^-24, or 0 where the product was rounded before it was added. */
static const double one_rounding_x[] = {-(1 + 0x1p-11), 1 + 0x1p-12};
static const double one_rounding_w[] = {1, 1 + 0x1p-12};

static void expect_one_rounding(struct rig *r, int node, const char *what)
{
    finish(r, node);
    assert_int_equal(evaluate(r, &in_float), 0);

    struct tensor y = result(r, 0);

    for (int64_t i = 0; i < shape_count(&y.shape); i++) {
        if (y.v[i] != 0x1p-24)
            fail_msg("%s: element %lld is %a", what, (long long)i, y.v[i]);
    }
    rig_end(r);
}

/* n numbers that are those of `two` in turn, `each` times. */
static double *in_turn(const double two[2], int64_t each, int64_t n)
{
    double *x = xcalloc((size_t)n, sizeof(*x));

    for (int64_t i = 0; i < n; i++)
        x[i] = two[i / each % 2];
    return x;
}

/* Tiles of each size that a GPU has, and a product that is too small for any. */
static void test_one_rounding_products(void **state)
{
    static const int64_t sizes[] = {3, 20, 300};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        int64_t n = sizes[i];
        struct op_attrs attrs = {.trans_b = true};
        AUTO(freep) double *x = in_turn(one_rounding_x, 1, 2 * n);
        AUTO(freep) double *w = in_turn(one_rounding_w, 1, 2 * n);
        struct rig r;

        rig_start(&r);
        int a = add_source(&r, DT_F32, SHAPE(n, 2), x), b = add_source(&r, DT_F32, SHAPE(n, 2), w);
        expect_one_rounding(&r, add_op(&r, OP_MATMUL, &attrs, NULL, 2, a, b), "matmul");
    }
}

/* Negative terms that are all too small come to 0, not to -0, whether zeros fill up a tile or not.
 */
static void test_terms_too_small(void **state)
{
    static const double small[] = {0x1p-100, 0x1p-100}, negative[] = {-0x1p-100, -0x1p-100};

    (void)state;
    for (int64_t k = 7; k < 10; k++) {
        struct op_attrs attrs = {.trans_b = true};
        AUTO(freep) double *x = in_turn(small, 1, 20 * k);
        AUTO(freep) double *w = in_turn(negative, 1, 20 * k);
        struct rig r;

        rig_start(&r);
        int a = add_source(&r, DT_F32, SHAPE(20, k), x);
        int b = add_source(&r, DT_F32, SHAPE(20, k), w);
        finish(&r, add_op(&r, OP_MATMUL, &attrs, NULL, 2, a, b));
        assert_int_equal(evaluate(&r, &in_float), 0);
        for (int i = 0; i < 400; i++)
            assert_true(result(&r, 0).v[i] == 0 && !signbit(result(&r, 0).v[i]));
        rig_end(&r);
    }
}

/* As a product with x as it lies, with a matrix of columns, and element by element; transposed. */
static void test_one_rounding_convolutions(void **state)
{
    static const struct {
        const char *what;
        int64_t groups, og, stride;
        enum op_code op;
    } cases[] = {{"pointwise", 1, 20, 1, OP_CONV},
                 {"strided", 1, 20, 2, OP_CONV},
                 {"narrow", 3, 1, 1, OP_CONV},
                 {"transposed", 1, 20, 1, OP_CONV_TRANSPOSE},
                 {"transposed, narrow", 3, 1, 1, OP_CONV_TRANSPOSE}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        int64_t groups = cases[i].groups, og = cases[i].og, stride = cases[i].stride;
        bool transposed = cases[i].op == OP_CONV_TRANSPOSE;
        struct op_attrs attrs = {
            .window = {.nd = 2, .stride = {stride, stride}, .dilation = {1, 1}, .groups = groups}};
        struct shape ws = transposed ? SHAPE(2 * groups, og, 1, 1) : SHAPE(groups * og, 2, 1, 1);
        AUTO(freep) double *x = in_turn(one_rounding_x, 81, 2 * groups * 81);
        AUTO(freep) double *w = in_turn(one_rounding_w, transposed ? og : 1, shape_count(&ws));
        struct rig r;

        rig_start(&r);
        int nx = add_source(&r, DT_F32, SHAPE(1, 2 * groups, 9, 9), x);
        int nw = add_source(&r, DT_F32, ws, w);
        expect_one_rounding(&r, add_op(&r, cases[i].op, &attrs, NULL, 2, nx, nw), cases[i].what);
    }
}

/* <conv(x), z> = <x, conv_transpose(z)> with the same weights. */
static void test_conv_adjoint(void **state)
{
    struct op_attrs attrs = {
        .window = {.nd = 2, .stride = {2, 3}, .pad = {1, 2}, .dilation = {1, 2}, .groups = 2}};
    struct rig r;
    double left = 0, right = 0;

    (void)state;
    rig_start(&r);
    int x = add_f32(&r, SHAPE(2, 4, 11, 16)), w = add_f32(&r, SHAPE(6, 2, 3, 3));
    int y = add_op(&r, OP_CONV, &attrs, NULL, 2, x, w);
    int z = add_f32(&r, r.g->nodes[y].shape);
    int back = add_op(&r, OP_CONV_TRANSPOSE, &attrs, NULL, 2, z, w);
    assert_true(shape_equal(&r.g->nodes[back].shape, &r.source[0].shape));
    assert_int_equal(graph_add_output(r.g, "back", back, &err), 0);
    finish(&r, y);
    assert_int_equal(evaluate(&r, &in_double), 0);
    for (int64_t i = 0; i < shape_count(&r.source[2].shape); i++)
        left += ((double *)r.out[1])[i] * r.source[2].v[i];
    for (int64_t i = 0; i < shape_count(&r.source[0].shape); i++)
        right += ((double *)r.out[0])[i] * r.source[0].v[i];
    assert_true(fabs(left) > 1e-3 && fabs(left - right) < 1e-11 * fabs(left));
    rig_end(&r);
}

/* --- windows --- */

static const struct {
    enum op_code op;
    int64_t x[6];
    struct window win;
} pools[] = {
    {OP_MAX_POOL, {3, 2, 3, 17}, {.nd = 1, .k = {3}, .stride = {2}, .pad = {1}, .dilation = {1}}},
    {OP_MAX_POOL,
     {4, 1, 3, 10, 9},
     {.nd = 2, .k = {3, 2}, .stride = {2, 2}, .pad = {1, 0}, .dilation = {2, 1}}},
    {OP_MAX_POOL,
     {4, 1, 3, 10, 10},
     {.nd = 2, .k = {3, 3}, .stride = {2, 2}, .pad = {1, 1}, .dilation = {1, 1}, .ceil = true}},
    {OP_MAX_POOL,
     {4, 1, 2, 7, 8},
     {.nd = 2, .k = {2, 3}, .stride = {3, 3}, .pad = {0, 1}, .dilation = {1, 1}, .ceil = true}},
    {OP_MAX_POOL,
     {5, 1, 2, 6, 7, 8},
     {.nd = 3, .k = {3, 2, 3}, .stride = {2, 1, 2}, .pad = {1, 1, 1}, .dilation = {1, 1, 2}}},
    {OP_AVG_POOL, {3, 2, 3, 17}, {.nd = 1, .k = {4}, .stride = {1}, .pad = {2}, .dilation = {1}}},
    {OP_AVG_POOL,
     {4, 2, 3, 12, 11},
     {.nd = 2, .k = {3, 5}, .stride = {3, 1}, .pad = {1, 2}, .dilation = {1, 1}}},
    {OP_AVG_POOL,
     {5, 1, 2, 6, 7, 8},
     {.nd = 3, .k = {3, 2, 3}, .stride = {2, 1, 2}, .pad = {1, 0, 1}, .dilation = {1, 1, 1}}},
};

static double naive_pool(enum op_code op, const struct tensor *x, const struct window *w,
                         const int64_t *at)
{
    int lead = x->shape.rank - w->nd;
    struct shape taps = {.rank = w->nd};
    int64_t t[SHAPE_MAX_RANK], from[SHAPE_MAX_RANK];
    double best = -INFINITY, sum = 0;

    memcpy(taps.dim, w->k, sizeof(w->k));
    for (int64_t i = 0; i < shape_count(&taps); i++) {
        bool inside = true;

        coords(&taps, i, t);
        memcpy(from, at, sizeof(from));
        for (int d = 0; d < w->nd; d++) {
            from[lead + d] = at[lead + d] * w->stride[d] - w->pad[d] + t[d] * w->dilation[d];
            inside = inside && from[lead + d] >= 0 && from[lead + d] < x->shape.dim[lead + d];
        }
        if (inside) {
            best = fmax(best, x->v[place(&x->shape, from)]);
            sum += x->v[place(&x->shape, from)];
        }
    }
    return op == OP_MAX_POOL ? best : sum / (double)shape_count(&taps);
}

static void test_pool(void **state)
{
    (void)state;
    for (size_t c = 0; c < ARRAY_SIZE(pools); c++) {
        struct shape x = shape_of(pools[c].x + 1, (size_t)pools[c].x[0]);
        struct op_attrs attrs = {.window = pools[c].win};
        int64_t at[SHAPE_MAX_RANK];
        struct rig r;
        char what[32];

        attrs.window.groups = 1;
        rig_start(&r);
        int y = add_op(&r, pools[c].op, &attrs, NULL, 1, add_f32(&r, x));
        struct shape out = r.g->nodes[y].shape;
        AUTO(freep) double *want = room(&out);
        for (int64_t i = 0; i < shape_count(&out); i++) {
            coords(&out, i, at);
            want[i] = naive_pool(pools[c].op, &r.source[0], &pools[c].win, at);
        }
        snprintf(what, sizeof(what), "pool, case %zu", c);
        check(&r, y, want, what);
        rig_end(&r);
    }
}

/* --- movement --- */

static void test_permute(void **state)
{
    static const int perms[][4] = {{3, 1, 0, 2}, {0, 1, 3, 2}, {1, 0, 2, 3}, {0, 2, 1, 3},
                                   {3, 2, 1, 0}, {0, 1, 2, 3}, {2, 3, 0, 1}};

    (void)state;
    for (size_t c = 0; c < ARRAY_SIZE(perms); c++) {
        struct shape s = SHAPE(3, 10, 9, 70);
        struct op_attrs attrs = {.perm = {perms[c][0], perms[c][1], perms[c][2], perms[c][3]}};
        int64_t at[SHAPE_MAX_RANK], from[SHAPE_MAX_RANK];
        struct rig r;

        rig_start(&r);
        int y = add_op(&r, OP_PERMUTE, &attrs, NULL, 1, add_f32(&r, s));
        struct shape out = r.g->nodes[y].shape;
        AUTO(freep) double *want = room(&out);
        for (int64_t i = 0; i < shape_count(&out); i++) {
            coords(&out, i, at);
            for (int d = 0; d < 4; d++)
                from[perms[c][d]] = at[d];
            want[i] = r.source[0].v[place(&s, from)];
        }
        check(&r, y, want, "permute");
        rig_end(&r);
    }
}

static void test_slice(void **state)
{
    static const struct {
        int axis;
        int64_t from, step, len;
    } cases[] = {{0, 1, 1, 3}, {1, 0, 2, 4}, {2, 8, -1, 9}, {1, 6, -3, 3}, {0, 3, -1, 4}};

    (void)state;
    for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
        struct shape s = SHAPE(4, 7, 9), to = s;
        struct op_attrs attrs = {
            .axis = cases[c].axis, .from = cases[c].from, .step = cases[c].step};
        int64_t at[SHAPE_MAX_RANK];
        struct rig r;

        to.dim[cases[c].axis] = cases[c].len;
        rig_start(&r);
        int y = add_op(&r, OP_SLICE, &attrs, &(struct node){.shape = to}, 1, add_f32(&r, s));
        AUTO(freep) double *want = room(&to);
        for (int64_t i = 0; i < shape_count(&to); i++) {
            coords(&to, i, at);
            at[cases[c].axis] = cases[c].from + cases[c].step * at[cases[c].axis];
            want[i] = r.source[0].v[place(&s, at)];
        }
        check(&r, y, want, "slice");
        rig_end(&r);
    }
}

static void test_concat_and_pad(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        struct shape s = SHAPE(3, 4, 5), s2 = s;
        struct op_attrs cat = {.axis = axis};
        struct op_attrs pad = {.lo = {1, 0, 2}, .hi = {0, 3, 1}, .value = -7.5};
        int64_t at[SHAPE_MAX_RANK];
        struct rig r;

        s2.dim[axis] = 2;
        rig_start(&r);
        int a = add_f32(&r, s), b = add_f32(&r, s2);
        int both = add_op(&r, OP_CONCAT, &cat, NULL, 3, a, b, a);
        int y = add_op(&r, OP_PAD, &pad, NULL, 1, both);
        struct shape joined = r.g->nodes[both].shape, out = r.g->nodes[y].shape;
        AUTO(freep) double *want = room(&out);
        for (int64_t i = 0; i < shape_count(&out); i++) {
            bool inside = true;

            coords(&out, i, at);
            for (int d = 0; d < 3; d++) {
                at[d] -= pad.lo[d];
                inside = inside && at[d] >= 0 && at[d] < joined.dim[d];
            }
            bool middle = at[axis] >= s.dim[axis] && at[axis] < s.dim[axis] + 2;
            if (at[axis] >= s.dim[axis])
                at[axis] -= s.dim[axis] + (middle ? 0 : 2);
            want[i] = !inside  ? -7.5
                      : middle ? r.source[1].v[place(&s2, at)]
                               : r.source[0].v[place(&s, at)];
        }
        check(&r, y, want, "concat and pad");
        rig_end(&r);
    }
}

static void test_expand_and_reshape(void **state)
{
    struct shape to = SHAPE(2, 3, 4, 5), flat = SHAPE(6, 20);
    double want[120];
    struct rig r;

    (void)state;
    rig_start(&r);
    int x = add_f32(&r, SHAPE(3, 1, 5));
    int wide = add_op(&r, OP_EXPAND, NULL, &(struct node){.shape = to}, 1, x);
    int y = add_op(&r, OP_RESHAPE, NULL, &(struct node){.shape = flat}, 1, wide);
    for (int i = 0; i < 120; i++)
        want[i] = r.source[0].v[i / 20 % 3 * 5 + i % 5];
    check(&r, y, want, "expand");
    rig_end(&r);
}

static void test_gather_and_take(void **state)
{
    const double index[] = {2, 0, 2, 1, 1, 0}, rows[] = {0, 2, 1, 1, /**/ 2, 2, 0, 1};
    struct op_attrs middle = {.axis = 1};
    double want[2 * 6 * 4], taken[8];
    struct rig r;

    (void)state;
    rig_start(&r);
    int x = add_f32(&r, SHAPE(2, 3, 4)), i = add_source(&r, DT_I32, SHAPE(3, 2), index);
    for (int k = 0; k < 48; k++)
        want[k] = r.source[0].v[(k / 24 * 3 + (int)index[k / 4 % 6]) * 4 + k % 4];
    check(&r, add_op(&r, OP_GATHER, &middle, NULL, 2, x, i), want, "gather");
    rig_end(&r);

    rig_start(&r);
    x = add_f32(&r, SHAPE(2, 3));
    i = add_source(&r, DT_I64, SHAPE(2, 4), rows);
    for (int k = 0; k < 8; k++)
        taken[k] = r.source[0].v[k / 4 * 3 + (int)rows[k]];
    check(&r, add_op(&r, OP_TAKE, &middle, NULL, 2, x, i), taken, "take");
    rig_end(&r);
}

static void test_index_out_of_range(void **state)
{
    const double wrong[][2] = {{0, 3}, {-1, 0}};
    const char *text[] = {"index 3 at element 1 is outside 0..2",
                          "index -1 at element 0 is outside 0..2"};

    (void)state;
    for (int c = 0; c < 2; c++) {
        struct op_attrs first = {.axis = 0};
        struct rig r;

        rig_start(&r);
        int x = add_f32(&r, SHAPE(3)), i = add_source(&r, DT_I64, SHAPE(2), wrong[c]);
        finish(&r, add_op(&r, c ? OP_TAKE : OP_GATHER, &first, NULL, 2, x, i));
        assert_int_equal(evaluate(&r, &in_double), -1);
        assert_int_equal(err.kind, ERR_INPUT);
        assert_non_null(strstr(err.text, text[c]));
        rig_end(&r);
    }
}

/* --- recurrences --- */

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void naive_recurrence(enum op_code op, const struct tensor *s, int64_t steps, int64_t batch,
                             int64_t hidden, double *y)
{
    int64_t g = op == OP_LSTM ? 4 : op == OP_GRU ? 3 : 1, width = op == OP_LSTM ? 2 : 1;

    for (int64_t b = 0; b < batch; b++) {
        double h[8], c[8], pre[32], x[32];

        memcpy(h, s[3].v + b * hidden, (size_t)hidden * 8);
        if (op == OP_LSTM)
            memcpy(c, s[4].v + b * hidden, (size_t)hidden * 8);
        for (int64_t t = 0; t < steps; t++) {
            double *to = y + (t * batch + b) * width * hidden;

            for (int64_t j = 0; j < g * hidden; j++) {
                x[j] = s[0].v[(t * batch + b) * g * hidden + j];
                pre[j] = s[2].v[j];
                for (int64_t k = 0; k < hidden; k++)
                    pre[j] += s[1].v[j * hidden + k] * h[k];
            }
            for (int64_t u = 0; u < hidden; u++) {
                const double *p = pre + u, *q = x + u;

                if (op == OP_RNN) {
                    h[u] = tanh(p[0] + q[0]);
                } else if (op == OP_GRU) {
                    double n = tanh(q[2 * hidden] + sigmoid(p[0] + q[0]) * p[2 * hidden]);
                    double z = sigmoid(p[hidden] + q[hidden]);

                    h[u] = n + z * (h[u] - n);
                } else {
                    c[u] = c[u] * sigmoid(p[hidden] + q[hidden]) +
                           sigmoid(p[0] + q[0]) * tanh(p[2 * hidden] + q[2 * hidden]);
                    h[u] = tanh(c[u]) * sigmoid(p[3 * hidden] + q[3 * hidden]);
                    to[hidden + u] = c[u];
                }
                to[u] = h[u];
            }
        }
    }
}

static void test_recurrences(void **state)
{
    enum { T = 6, B = 3, H = 7 };

    (void)state;
    for (int op = OP_LSTM; op <= OP_RNN; op++) {
        double want[T * B * 2 * H];
        struct rig r;

        rig_start(&r);
        int y = add_recurrence(&r, op, T, B, H);
        naive_recurrence(op, r.source, T, B, H, want);
        check(&r, y, want, op_table[op].name);
        rig_end(&r);
    }
}

/* --- sources, casts, outputs --- */

static void test_cast(void **state)
{
    const double x[] = {0.1, -3.7, 1000.3, 1e-9};
    static const struct {
        enum dtype to;
        double want[4];
    } cases[] = {
        {DT_F32, {0.1f, -3.7f, 1000.3f, 1e-9f}},
        {DT_BF16, {0.10009765625, -3.703125, 1000, 0x1.12p-30}},
        {DT_F8E4M3, {0.1015625, -3.75, 448, 0}},
        {DT_I32, {0, -3, 1000, 0}},
        {DT_BOOL, {1, 1, 1, 1}},
    };

    (void)state;
    for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
        struct rig r;

        rig_start(&r);
        int a = add_source(&r, DT_F64, SHAPE(4), x);
        int b = add_op(&r, OP_CAST, NULL, &(struct node){.dtype = cases[c].to}, 1, a);
        finish(&r, add_op(&r, OP_CAST, NULL, &(struct node){.dtype = DT_F64}, 1, b));
        assert_int_equal(evaluate(&r, &in_double), 0);
        for (int i = 0; i < 4; i++)
            assert_true(fabs(result(&r, 0).v[i] - cases[c].want[i]) < 1e-12);
        rig_end(&r);
    }
}

static void test_const_and_iota(void **state)
{
    struct op_attrs half = {.value = 0.5}, rows = {.axis = 0};
    double want[6];
    struct rig r;

    (void)state;
    rig_start(&r);
    int x = add_f32(&r, SHAPE(2, 3));
    int c = add_op(&r, OP_CONST, &half, &(struct node){.dtype = DT_F32}, 0);
    int i = add_op(&r, OP_IOTA, &rows, &(struct node){.dtype = DT_F32, .shape = SHAPE(2, 3)}, 0);
    int y = add_op(&r, OP_ADD, NULL, NULL, 2, add_op(&r, OP_MUL, NULL, NULL, 2, x, c), i);
    for (int k = 0; k < 6; k++)
        want[k] = r.source[0].v[k] * 0.5 + k / 3;
    check(&r, y, want, "const and iota");
    rig_end(&r);
}

/* Float rounds to the output's dtype, double does not. */
static void test_output_rounding(void **state)
{
    const double x[] = {1.0078125}; /* a bf16 number; its square is none */
    struct rig r;

    (void)state;
    rig_start(&r);
    int a = add_source(&r, DT_BF16, SHAPE(1), x);
    finish(&r, add_op(&r, OP_MUL, NULL, NULL, 2, a, a));
    assert_int_equal(evaluate(&r, &in_double), 0);
    assert_true(result(&r, 0).v[0] == 1.0078125 * 1.0078125);
    assert_int_equal(evaluate(&r, &in_float), 0);
    assert_true(result(&r, 0).v[0] == 1.015625);
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unary),
        cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_where_and_logic),
        cmocka_unit_test(test_nan_wins),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_integer_sums),
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_arg),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_matmul),
        cmocka_unit_test(test_conv),
        cmocka_unit_test(test_conv_transpose),
        cmocka_unit_test(test_conv_adjoint),
        cmocka_unit_test(test_one_rounding_products),
        cmocka_unit_test(test_terms_too_small),
        cmocka_unit_test(test_one_rounding_convolutions),
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_permute),
        cmocka_unit_test(test_slice),
        cmocka_unit_test(test_concat_and_pad),
        cmocka_unit_test(test_expand_and_reshape),
        cmocka_unit_test(test_gather_and_take),
        cmocka_unit_test(test_index_out_of_range),
        cmocka_unit_test(test_recurrences),
        cmocka_unit_test(test_cast),
        cmocka_unit_test(test_const_and_iota),
        cmocka_unit_test(test_output_rounding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
