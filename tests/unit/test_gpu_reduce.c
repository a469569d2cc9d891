/* SPDX-License-Identifier: MIT */
/* san-slow: src/gpu src/device src/ops src/tensor tests/emu tests/unit/gpu_kernels_rig.h */
/* Reductions, scans and top-k on the emulated GPU: however they are cut. */
#include "gpu_kernels_rig.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_scans_and_args),
        cmocka_unit_test(test_topk_lines),
    };

    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
