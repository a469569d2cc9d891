/* SPDX-License-Identifier: MIT */
/* covers: src/ops/pass.c */
/* Elementwise ops and passes of several of them on the emulated GPU: broadcasts, what is stored,
 * operands of every dtype. */
#include "gpu_kernels_rig.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broadcasts),
        cmocka_unit_test(test_a_pass_stores_its_end),
        cmocka_unit_test(test_a_pass_takes_either_operand),
        cmocka_unit_test(test_a_pass_keeps_what_it_reads),
        cmocka_unit_test(test_a_pass_ends_where_others_read),
        cmocka_unit_test(test_long_passes),
        cmocka_unit_test(test_source_types),
    };

    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
