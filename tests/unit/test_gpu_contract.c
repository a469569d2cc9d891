/* SPDX-License-Identifier: MIT */
/* san-slow: src/gpu src/device src/ops src/tensor tests/emu tests/unit/gpu_kernels_rig.h */
/* covers: src/gpu/cublas.c src/gpu/gpu_engine.c */
/* Products and convolutions on the emulated GPU: ragged tiles, batches, and pieces of what is too
 * large at once. */
#include "gpu_kernels_rig.h"

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

/* From here on cuBLAS multiplies doubles. */
static void test_with_blas(void **state)
{
    assert_string_equal(gpu_engine_blas(&engine), "cuBLAS 13.0");
    test_products(state);
    test_product_batches(state);
    test_convolutions_in_pieces(state);
    test_grouped_products(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),         cmocka_unit_test(test_product_batches),
        cmocka_unit_test(test_convolutions),     cmocka_unit_test(test_convolutions_in_pieces),
        cmocka_unit_test(test_grouped_products), cmocka_unit_test(test_with_blas),
    };

    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
