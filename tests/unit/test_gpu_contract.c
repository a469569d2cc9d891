/* SPDX-License-Identifier: MIT */
/* What the GPU's kernels do differently by size, stride and type, on the emulated GPU against the
 * host: ragged tiles, cut reductions, pieces of convolutions, operands of every dtype. */
#define RIG_ON_GPU
#include "ops_rig.h"

static int64_t between(int64_t low, int64_t high)
{
    return low + (int64_t)((noise() + 1) / 2 * (double)(high - low + 1));
}

/* All the ways a graph is run. */
static void run_all_ways(struct rig *r, int node)
{
    static const struct ops_run runs[] = {
        {.precision = OPS_DOUBLE},
        {.precision = OPS_DOUBLE, .truncate = true},
        {.precision = OPS_FLOAT},
        {.precision = OPS_FLOAT, .rotation = 7},
        {.precision = OPS_FLOAT, .truncate = true, .rotation = 3},
        {.precision = OPS_FLOAT, .round_operands = ROUND_TF32},
        {.precision = OPS_FLOAT, .round_operands = ROUND_BF16, .round_storage = ROUND_E4M3},
    };

    finish(r, node);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        assert_int_equal(evaluate(r, &runs[i]), 0);
    rig_end(r);
}

static void test_products(void **state)
{
    static const int64_t sizes[] = {1, 3, 17, 64, 65, 130, 200};

    (void)state;
    for (int round = 0; round < 24; round++) {
        struct op_attrs at = {.trans_a = round & 1, .trans_b = round & 2};
        int64_t m = sizes[between(0, 6)], n = sizes[between(0, 6)], k = sizes[between(0, 6)];
        struct rig r;

        rig_start(&r);
        int a = add_f32(&r, at.trans_a ? SHAPE(k, m) : SHAPE(m, k));
        int b = add_f32(&r, at.trans_b ? SHAPE(n, k) : SHAPE(k, n));
        run_all_ways(&r, add_op(&r, OP_MATMUL, &at, NULL, 2, a, b));
    }
}

static void test_product_batches(void **state)
{
    const struct shape a[] = {SHAPE(6, 5, 7), SHAPE(2, 3, 5, 7), SHAPE(2, 1, 5, 7), SHAPE(5, 7),
                              SHAPE(2, 1, 4, 5, 7)};
    const struct shape b[] = {SHAPE(6, 7, 9), SHAPE(3, 7, 9), SHAPE(1, 3, 7, 9), SHAPE(4, 7, 9),
                              SHAPE(2, 3, 1, 7, 9)};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(a); i++) {
        struct rig r;

        rig_start(&r);
        int x = add_f32(&r, a[i]), y = add_f32(&r, b[i]);
        run_all_ways(&r, add_op(&r, OP_MATMUL, NULL, NULL, 2, x, y));
    }
}

static void test_convolutions(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        bool transposed = round & 1;
        int64_t groups = round % 5 == 0 ? 6 : between(1, 2),
                cg = round % 5 == 0 ? 1 : between(1, 4);
        int64_t og = round % 10 == 0 ? 1 : between(1, 6);
        struct op_attrs at = {.window = {.nd = 2, .groups = groups}};
        struct rig r;

        for (int d = 0; d < 2; d++) {
            at.window.k[d] = round % 7 == 3 ? 1 : between(1, 4);
            at.window.stride[d] = round % 7 == 3 ? 1 : between(1, 3);
            at.window.dilation[d] = between(1, 2);
            at.window.pad[d] = round % 7 == 3 ? 0 : between(0, at.window.k[d] - 1);
        }
        rig_start(&r);
        int x = add_f32(&r, SHAPE(between(1, 4), groups * cg, between(8, 40), between(8, 50)));
        int w = add_f32(&r, transposed ? SHAPE(groups * cg, og, at.window.k[0], at.window.k[1])
                                       : SHAPE(groups * og, cg, at.window.k[0], at.window.k[1]));
        enum op_code op = transposed ? OP_CONV_TRANSPOSE : OP_CONV;

        if (round % 3)
            run_all_ways(&r, add_op(&r, op, &at, NULL, 3, x, w, add_f32(&r, SHAPE(groups * og))));
        else
            run_all_ways(&r, add_op(&r, op, &at, NULL, 2, x, w));
    }
}

/* The same when little memory is to be had at a time. */
static void test_convolutions_in_pieces(void **state)
{
    struct gpu *g = engine.ctx;

    g->columns_bytes = 20000;
    test_convolutions(state);
    g->columns_bytes = GPU_PIECE_BYTES;
}

static void test_reductions(void **state)
{
    const struct shape shapes[] = {SHAPE(3, 5, 7),   SHAPE(2, 9000),     SHAPE(500, 40),
                                   SHAPE(40, 500),   SHAPE(1, 30000),    SHAPE(30000, 1),
                                   SHAPE(70, 3, 90), SHAPE(4, 1200, 33), SHAPE(2, 3, 4, 5),
                                   SHAPE(7, 65),     SHAPE(9, 64)};

    (void)state;
    for (size_t s = 0; s < ARRAY_SIZE(shapes); s++) {
        for (uint32_t axes = 1; axes < 1u << shapes[s].rank; axes++) {
            struct op_attrs at = {.axes = axes, .keep = s & 1};
            enum op_code op = OP_SUM + (enum op_code)(axes + s) % 4;
            struct rig r;

            rig_start(&r);
            run_all_ways(&r, add_op(&r, op, &at, NULL, 1, add_f32(&r, shapes[s])));
        }
    }
}

/* Lanes of several outputs, some at a time: in one row, in rows of odd lengths, over more axes;
 * more outputs than a block takes, more rounds than are on their way at once. */
static void test_lanes(void **state)
{
    const struct {
        struct shape shape;
        uint32_t axes;
        enum op_code op;
        int at_a_time;
    } cases[] = {
        {SHAPE(300, 3, 301), 5, OP_PROD, 0},
        {SHAPE(300, 3, 301), 5, OP_SUM, 2},
        {SHAPE(9, 5 * ITEM_LANES + 4099), 2, OP_SUM, 0},
        {SHAPE(2, 65537), 2, OP_PROD, 1},
        {SHAPE(2, 2, 150000), 5, OP_SUM, 0},
        {SHAPE(60, 2, 40, 2, 30), 21, OP_SUM, 0},
    };
    struct gpu *g = engine.ctx;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct op_attrs at = {.axes = cases[i].axes};
        struct rig r;

        if (cases[i].at_a_time)
            g->lanes_bytes = cases[i].at_a_time * (double)(ITEM_LANES * sizeof(float));
        rig_start(&r);
        run_all_ways(&r, add_op(&r, cases[i].op, &at, NULL, 1, add_f32(&r, cases[i].shape)));
        g->lanes_bytes = GPU_PIECE_BYTES;
    }
}

static void test_scans_and_args(void **state)
{
    static const int64_t sizes[][3] = {{5, 37, 1}, {1, 400, 1}, {3, 9, 11}, {300, 4, 2}, {2, 8, 1}};

    (void)state;
    for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
        struct op_attrs scan = {.axis = 1}, arg = {.axes = 2};
        struct rig r;

        rig_start(&r);
        int x = add_f32(&r, SHAPE(sizes[s][0], sizes[s][1], sizes[s][2]));
        int y = add_op(&r, s & 1 ? OP_CUMPROD : OP_CUMSUM, &scan, NULL, 1, x);
        assert_int_equal(graph_add_output(r.g, "scan", y, &err), 0);
        run_all_ways(&r, add_op(&r, s & 1 ? OP_ARGMIN : OP_ARGMAX, &arg, NULL, 1, y));
    }
}

static void test_broadcasts(void **state)
{
    const struct shape a[] = {SHAPE(5, 7, 9), SHAPE(64, 64),  SHAPE(3, 1, 5),      SHAPE(1),
                              SHAPE(1001),    SHAPE(6, 4, 8), SHAPE(2, 2, 2, 2, 2)};
    const struct shape b[] = {SHAPE(7, 1), SHAPE(64),      SHAPE(4, 1),         SHAPE(3, 2),
                              SHAPE(1),    SHAPE(6, 1, 1), SHAPE(2, 1, 2, 1, 2)};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(a); i++) {
        struct rig r;

        rig_start(&r);
        int x = add_f32(&r, a[i]), y = add_f32(&r, b[i]);
        int less = add_op(&r, OP_LT, NULL, NULL, 2, x, y);
        int sum = add_op(&r, OP_ADD, NULL, NULL, 2, y, x);

        run_all_ways(&r, add_op(&r, OP_WHERE, NULL, NULL, 3, less, y,
                                add_op(&r, OP_EXP, NULL, NULL, 1, sum)));
    }
}

/* Both ways of running a graph: bits, and how much more is held op by op. */
static void hold_passes(struct rig *r, int node, double saved_bytes)
{
    struct gpu *g = engine.ctx;
    double held[2];

    finish(r, node);
    for (int precision = OPS_DOUBLE; precision <= OPS_FLOAT; precision++) {
        struct ops_run run = {.precision = (enum ops_precision)precision};
        size_t bytes = (size_t)result_count(r, 0) * 8;
        AUTO(freep) void *alone = xmalloc(bytes);

        for (int steps = 1; steps <= PASS_MAX_STEPS; steps += PASS_MAX_STEPS - 1) {
            g->most_steps = steps;
            assert_int_equal(evaluate(r, &run), 0);
            held[steps > 1] = engine.peak_bytes(engine.ctx, r->g, run.precision);
            if (steps == 1)
                memcpy(alone, r->out[0], bytes);
        }
        assert_memory_equal(r->out[0], alone, bytes);
        assert_true(precision == OPS_DOUBLE ? held[0] - held[1] == saved_bytes
                                            : held[1] <= held[0]); /* results are widened there */
    }
    rig_end(r);
}

static int add_number(struct rig *r, double value)
{
    struct op_attrs at = {.value = value};

    return add_op(r, OP_CONST, &at, &(struct node){.dtype = DT_F32}, 0);
}

/* exp(x - row), which is never stored before it is whole. */
static void test_a_pass_stores_its_end(void **state)
{
    struct rig r;

    (void)state;
    rig_start(&r);
    int x = add_f32(&r, SHAPE(7, 33)), row = add_f32(&r, SHAPE(7, 1));
    int d = add_op(&r, OP_SUB, NULL, NULL, 2, x, row);

    hold_passes(&r, add_op(&r, OP_EXP, NULL, NULL, 1, d), 8 * 7 * 33);
}

/* 1 / (1 + exp(-x)) times x, and (2 - y) ^ y with y twice: numbers, either operand, both. */
static void test_a_pass_takes_either_operand(void **state)
{
    struct rig r;

    (void)state;
    rig_start(&r);
    int x = add_f32(&r, SHAPE(5, 9)), one = add_number(&r, 1);
    int e = add_op(&r, OP_EXP, NULL, NULL, 1, add_op(&r, OP_NEG, NULL, NULL, 1, x));
    int s = add_op(&r, OP_DIV, NULL, NULL, 2, one, add_op(&r, OP_ADD, NULL, NULL, 2, one, e));
    int y = add_op(&r, OP_SUB, NULL, NULL, 2, add_number(&r, 2),
                   add_op(&r, OP_MUL, NULL, NULL, 2, x, s));

    hold_passes(&r, add_op(&r, OP_POW, NULL, NULL, 2, y, y), 8 * 5 * 9);
}

/* What another op reads too, or in another shape, or as an output, is stored all the same. */
static void test_a_pass_ends_where_others_read(void **state)
{
    struct op_attrs last = {.axes = 2, .keep = true};
    struct rig r;

    (void)state;
    rig_start(&r);
    int x = add_f32(&r, SHAPE(6, 50)), row = add_f32(&r, SHAPE(1, 50));
    int e = add_op(&r, OP_EXP, NULL, NULL, 1, x);
    int small = add_op(&r, OP_ABS, NULL, NULL, 1, row);
    int y = add_op(&r, OP_DIV, NULL, NULL, 2, e, add_op(&r, OP_SUM, &last, NULL, 1, e));

    hold_passes(&r, add_op(&r, OP_ADD, NULL, NULL, 2, y, small), 0);
}

/* -a + sum(exp(a)): a is kept until the pass reads it, though all that reads it came before. */
static void test_a_pass_keeps_what_it_reads(void **state)
{
    struct op_attrs axis = {.axis = 1}, last = {.axes = 2, .keep = true};
    struct rig r;

    (void)state;
    rig_start(&r);
    int a = add_op(&r, OP_CUMSUM, &axis, NULL, 1, add_f32(&r, SHAPE(6, 50)));
    int minus = add_op(&r, OP_NEG, NULL, NULL, 1, a);
    int sum = add_op(&r, OP_SUM, &last, NULL, 1, add_op(&r, OP_EXP, NULL, NULL, 1, a));

    hold_passes(&r, add_op(&r, OP_ADD, NULL, NULL, 2, minus, sum), 0);
}

/* Longer than a pass may be, of more operands, over integers and reals of every size. */
static void test_long_passes(void **state)
{
    static const enum op_code ops[] = {OP_ADD, OP_MUL, OP_MAXIMUM, OP_SUB, OP_MINIMUM, OP_DIV};
    static const enum dtype types[] = {DT_F32, DT_BF16, DT_F64, DT_I32, DT_I64, DT_U8};

    (void)state;
    for (int round = 0; round < 24; round++) {
        enum dtype t = types[(size_t)round % ARRAY_SIZE(types)];
        double v[6 * 10 * 12];
        struct rig r;

        for (size_t i = 0; i < ARRAY_SIZE(v); i++)
            v[i] = dtype_is_float(t) ? 2 * noise() : (double)between(1, 5);
        rig_start(&r);
        const int in[] = {add_source(&r, t, SHAPE(6, 10, 12), v),
                          add_source(&r, t, SHAPE(10, 1), v), add_source(&r, t, SHAPE(12), v),
                          add_source(&r, t, SHAPE(6, 1, 1), v), add_source(&r, t, SHAPE(1), v)};
        int y = in[0];

        for (int i = 0; i < 12; i++) {
            int other = in[(i + round) % 5];
            enum op_code op = ops[between(0, dtype_is_float(t) ? 5 : 4)];

            y = i % 6 == 5  ? add_op(&r, OP_NEG, NULL, NULL, 1, y)
                : round & 1 ? add_op(&r, op, NULL, NULL, 2, other, y)
                            : add_op(&r, op, NULL, NULL, 2, y, other);
        }
        run_all_ways(&r, y);
    }
}

static void test_movement(void **state)
{
    static const int perms[][3] = {{2, 1, 0}, {0, 2, 1}, {1, 0, 2}, {2, 0, 1}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(perms); i++) {
        struct op_attrs perm = {.perm = {perms[i][0], perms[i][1], perms[i][2]}};
        struct op_attrs back = {.axis = 2, .from = -1, .step = -3}, cat = {.axis = 1};
        struct op_attrs pad = {.lo = {1, 0, 2}, .hi = {0, 3, 1}, .value = -2.5};
        struct shape s = SHAPE(33, 40, 70), to;
        struct rig r;

        rig_start(&r);
        int x = add_op(&r, OP_PERMUTE, &perm, NULL, 1, add_f32(&r, s));
        int both = add_op(&r, OP_CONCAT, &cat, NULL, 2, x, x);

        to = r.g->nodes[both].shape;
        back.from = to.dim[2] - 1;
        to.dim[2] = (to.dim[2] - 1) / 3 + 1;
        int y = add_op(&r, OP_SLICE, &back, &(struct node){.shape = to}, 1, both);
        run_all_ways(&r, add_op(&r, OP_PAD, &pad, NULL, 1, y));
    }
}

/* Sources are read as they lie by whatever op comes first. */
static void test_source_types(void **state)
{
    (void)state;
    for (int t = 0; t < DT_COUNT; t++) {
        struct op_attrs last = {.axes = 4}, axis = {.axis = 1}, cat = {.axis = 0};
        struct op_attrs perm = {.perm = {2, 0, 1}}, pad = {.lo = {0, 1, 0}, .value = 1};
        double v[6 * 10 * 12];
        struct rig r;

        for (size_t i = 0; i < ARRAY_SIZE(v); i++)
            v[i] = dtype_is_float((enum dtype)t) ? 2 * noise() : (double)between(-3, 5);
        rig_start(&r);
        int x = add_source(&r, (enum dtype)t, SHAPE(6, 10, 12), v);
        int other = add_op(&r, OP_CAST, NULL, &(struct node){.dtype = DT_F32}, 1, x);
        bool is_bool = t == DT_BOOL;
        int outs[] = {
            other,
            add_op(&r, OP_EQ, NULL, NULL, 2, x, x),
            add_op(&r, OP_PERMUTE, &perm, NULL, 1, x),
            add_op(&r, OP_CONCAT, &cat, NULL, 2, x, x),
            add_op(&r, OP_PAD, &pad, NULL, 1, x),
            is_bool ? x : add_op(&r, OP_SUM, &last, NULL, 1, x),
            is_bool ? x : add_op(&r, OP_CUMSUM, &axis, NULL, 1, x),
            is_bool ? x : add_op(&r, OP_ARGMAX, &last, NULL, 1, x),
            is_bool ? x : add_op(&r, OP_MUL, NULL, NULL, 2, x, x),
            add_op(&r, OP_CAST, NULL, &(struct node){.dtype = DT_U8}, 1, x),
            add_op(&r, OP_CAST, NULL, &(struct node){.dtype = DT_F16}, 1, x),
            x,
        };

        for (size_t i = 0; i + 1 < ARRAY_SIZE(outs); i++) {
            char name[] = {'o', (char)('a' + i), 0};

            assert_int_equal(graph_add_output(r.g, name, outs[i], &err), 0);
        }
        run_all_ways(&r, outs[ARRAY_SIZE(outs) - 1]);
    }
}

static void test_recurrences_round(void **state)
{
    static const enum op_code ops[] = {OP_LSTM, OP_GRU, OP_RNN};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
        struct rig r;

        rig_start(&r);
        run_all_ways(&r, add_recurrence(&r, ops[i], 5, 3, 19));
    }
}

/* A thread to a line, a block to a line; of few values, so that many are equal, and NaN is one. */
static void test_topk_lines(void **state)
{
    static const struct {
        int64_t outer, n, inner, k;
        enum dtype type;
    } cases[] = {
        {5, 255, 1, 9, DT_F32},   {3, 256, 1, 256, DT_BF16}, {1, 3001, 1, 64, DT_F32},
        {2, 1030, 3, 33, DT_F32}, {2, 2049, 1, 1, DT_F64},   {3, 700, 2, 10, DT_I32},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        int64_t n = cases[i].n, count = cases[i].outer * n * cases[i].inner;
        AUTO(freep) double *x = xcalloc((size_t)count, sizeof(*x));
        struct op_attrs axis = {.axis = 1};
        struct rig r;

        for (int64_t at = 0; at < count; at++)
            x[at] = floor(20 * noise());
        for (int64_t at = 3; cases[i].type != DT_I32 && at < count; at += n / 2)
            x[at] = at % 4 ? NAN : -INFINITY;
        rig_start(&r);
        int in = add_source(&r, cases[i].type, SHAPE(cases[i].outer, n, cases[i].inner), x);
        struct shape y = SHAPE(cases[i].outer, cases[i].k, cases[i].inner);

        run_all_ways(&r, add_op(&r, OP_TOPK, &axis, &(struct node){.shape = y}, 1, in));
    }
}

static void test_grouped_products(void **state)
{
    static const double ends[][5] = {
        {0, 40, 80, 120, 160}, {0, 0, 150, 151, 160}, {0, 160, 160, 160, 160}, {0, 0, 0, 0, 160}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        int64_t k = between(1, 70), n = between(1, 150);
        struct rig r;

        rig_start(&r);
        int x = add_source(&r, DT_BF16, SHAPE(160, k), NULL);
        int w = add_source(&r, DT_BF16, SHAPE(4, k, n), NULL);
        int offsets = add_source(&r, i % 2 ? DT_I32 : DT_I64, SHAPE(5), ends[i]);

        run_all_ways(&r, add_op(&r, OP_GROUPED_MATMUL, NULL, NULL, 3, x, w, offsets));
    }
}

/* Columns that fill no block, steps that fill no piece, the most keys there can be. */
static void test_delta_rule(void **state)
{
    static const struct {
        int64_t batch, steps, heads, keys, values;
    } cases[] = {
        {2, 9, 3, 128, 20}, {1, 5, 1, OP_DELTA_KEYS, 16}, {1, 600, 2, 1, 1}, {3, 1, 1, 7, 33}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        int64_t b = cases[i].batch, t = cases[i].steps, h = cases[i].heads, keys = cases[i].keys;
        struct rig r;

        rig_start(&r);
        int q = add_source(&r, DT_BF16, SHAPE(b, t, h, keys), NULL);
        int k = add_source(&r, DT_BF16, SHAPE(b, t, h, keys), NULL);
        int v = add_source(&r, DT_BF16, SHAPE(b, t, h, cases[i].values), NULL);
        int decay = add_f32(&r, SHAPE(b, t, h, keys));
        int beta = add_source(&r, DT_BF16, SHAPE(b, t, h), NULL);

        run_all_ways(&r, add_op(&r, OP_DELTA_RULE, NULL, NULL, 5, q, k, v, decay, beta));
    }
}

/* From here on cuBLAS multiplies doubles. */
static void test_with_blas(void **state)
{
    assert_string_equal(gpu_engine_blas(&engine), "cuBLAS 13.0");
    test_products(state);
    test_product_batches(state);
    test_convolutions_in_pieces(state);
    test_recurrences_round(state);
    test_grouped_products(state);
}

static int open_engine(void **state)
{
    (void)state;
    gpu_open(true);
    return 0;
}

static int close_engine(void **state)
{
    (void)state;
    gpu_engine_trim(&engine);
    gpu_engine_close(&engine);
    gpu_engine_close(&engine);
    judge->close(judge_ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_product_batches),
        cmocka_unit_test(test_convolutions),
        cmocka_unit_test(test_convolutions_in_pieces),
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_scans_and_args),
        cmocka_unit_test(test_broadcasts),
        cmocka_unit_test(test_a_pass_stores_its_end),
        cmocka_unit_test(test_a_pass_takes_either_operand),
        cmocka_unit_test(test_a_pass_keeps_what_it_reads),
        cmocka_unit_test(test_a_pass_ends_where_others_read),
        cmocka_unit_test(test_long_passes),
        cmocka_unit_test(test_movement),
        cmocka_unit_test(test_source_types),
        cmocka_unit_test(test_recurrences_round),
        cmocka_unit_test(test_topk_lines),
        cmocka_unit_test(test_grouped_products),
        cmocka_unit_test(test_delta_rule),
        cmocka_unit_test(test_with_blas),
    };

    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
