/* SPDX-License-Identifier: MIT */
/* Gates: how far an answer may be off, and what is said of one that is further. */
#include "problem_rig.h"

#include "content/gate.h"

#include <math.h>

static void factors_by_dtype_and_convolution(void **state)
{
    static const struct {
        const char *text;
        double rms, max;
    } cases[] = {
        {HEAD "output('y', relu(input('x', f32, { N, N })))", 8, 16},
        {HEAD "output('y', relu(input('x', bf16, { N, N })))", 4, 8},
        {HEAD
         "output('y', nn.conv2d('c', 4, 4, { k = 3, pad = 1 })(input('x', f32, { 1, 4, N, N })))",
         32, 64},
        {HEAD "output('y', nn.conv2d('c', 4, 4, { k = 3, stride = 2 })(input('x', f32, { 1, 4, N, "
              "N })))",
         8, 16},
        {HEAD "tolerance { rms = 3, max = 5, why = 'a test' }\n"
              "output('y', relu(input('x', f32, { N, N })))",
         3, 5},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(problem_freep) struct problem *p = load(cases[i].text);
        const struct graph *g = small(p);
        struct gate gate;

        gate_factors(g, g->nodes[g->outputs[0].node].dtype, &gate);
        assert_true(gate.rms_factor == cases[i].rms);
        assert_true(gate.max_factor == cases[i].max);
    }
}

static void honest_error_has_floors(void **state)
{
    struct gate gate = {8, 16, 0, 0};
    struct compare_stats none = COMPARE_STATS_INIT;

    (void)state;
    none.count = 10;
    gate_set_honest(&gate, DT_F32, &none);
    assert_true(gate.honest_rms == 0x1p-25);
    assert_true(gate.honest_max == 0x1p-24);
}

static void gate_calls(void **state)
{
    struct gate gate = {8, 16, 1e-7, 1e-6};
    struct shape shape = {2, {4, 8}};
    struct verdict v = VERDICT_INIT;
    struct compare_stats s = COMPARE_STATS_INIT;

    (void)state;
    s.count = 32;
    s.max = 16e-6;
    assert_int_equal(gate_call(&gate, "y", &shape, DT_F32, &s, &v), 0);
    s.max = 16.1e-6;
    s.max_at = 13;
    assert_int_equal(gate_call(&gate, "y", &shape, DT_F32, &s, &v), 1);
    assert_string_equal(v.code, "max");
    assert_non_null(strstr(v.detail, "y[1, 5] is"));
    s.max = NAN;
    assert_int_equal(gate_call(&gate, "y", &shape, DT_F32, &s, &v), 1);
    s.max = 0;
    s.n_nonfinite = 1;
    s.first_nonfinite = 31;
    assert_int_equal(gate_call(&gate, "y", &shape, DT_F32, &s, &v), 1);
    assert_string_equal(v.code, "nonfinite");
    assert_non_null(strstr(v.detail, "first [3, 7]"));
    s = (struct compare_stats)COMPARE_STATS_INIT;
    s.n_unequal = 2;
    s.first_unequal = 8;
    assert_int_equal(gate_call(&gate, "y", &shape, DT_I64, &s, &v), 1);
    assert_string_equal(v.code, "unequal");

    s = (struct compare_stats)COMPARE_STATS_INIT;
    s.count = 100;
    s.sum_sq = 100 * 64e-14; /* rho = 8e-7 */
    assert_int_equal(gate_pooled(&gate, "y", DT_F32, &s, &v), 0);
    s.sum_sq *= 1.01;
    assert_int_equal(gate_pooled(&gate, "y", DT_F32, &s, &v), 1);
    assert_string_equal(v.code, "rms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_by_dtype_and_convolution),
        cmocka_unit_test(honest_error_has_floors),
        cmocka_unit_test(gate_calls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
