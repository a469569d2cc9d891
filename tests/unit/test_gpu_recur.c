/* SPDX-License-Identifier: MIT */
/* Recurrences on the emulated GPU. */
#include "gpu_kernels_rig.h"

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
    test_recurrences_round(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recurrences_round),
        cmocka_unit_test(test_delta_rule),
        cmocka_unit_test(test_with_blas),
    };

    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
