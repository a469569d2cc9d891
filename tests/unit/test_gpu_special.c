/* SPDX-License-Identifier: MIT */
/* covers: src/gpu/gpu_source.c src/ops/pass.c */
/* Passes that are compiled for what they do, on the emulated GPU: what is written is what stands in
 * tests/emu/special, to the letter, and what that computes is what the interpreting kernel does, to
 * the bit. And what becomes of passes that cannot be compiled. */
#define RIG_ON_GPU
#include "ops_rig.h"

static int add_number(struct rig *r, enum dtype t, double value)
{
    struct op_attrs at = {.value = value};

    return add_op(r, OP_CONST, &at, &(struct node){.dtype = t}, 0);
}

/* ---- the passes ---- */

/* exp(x - max) / sum, with x as it lies and rows in double; what is summed does not matter. */
static int softmax_of(struct rig *r, int64_t rows, int64_t length)
{
    struct op_attrs last = {.axes = 2, .keep = true};
    int x = add_f32(r, SHAPE(rows, length));
    int most = add_op(r, OP_MAX, &last, NULL, 1, x), sum = add_op(r, OP_SUM, &last, NULL, 1, x);
    int e = add_op(r, OP_EXP, NULL, NULL, 1, add_op(r, OP_SUB, NULL, NULL, 2, x, most));

    return add_op(r, OP_DIV, NULL, NULL, 2, e, sum);
}

static int softmax(struct rig *r)
{
    return softmax_of(r, 6, 340);
}

/* Rows that end within four elements. */
static int softmax_odd(struct rig *r)
{
    return softmax_of(r, 5, 411);
}

/* NaN and negative zero too; three elements are left over. */
static int relu(struct rig *r)
{
    double v[4099];

    for (int i = 0; i < 4099; i++)
        v[i] = i % 100 == 7 ? NAN : i % 100 == 8 ? -0.0 : noise();
    return add_op(r, OP_MAXIMUM, NULL, NULL, 2, add_source(r, DT_F32, SHAPE(4099), v),
                  add_number(r, DT_F32, 0));
}

/* 1 / (1 + exp(-x)) over a multiple of what a block takes at a time. */
static int sigmoid(struct rig *r)
{
    int x = add_source(r, DT_BF16, SHAPE(4, 1024), NULL), one = add_number(r, DT_BF16, 1);
    int e = add_op(r, OP_EXP, NULL, NULL, 1, add_op(r, OP_NEG, NULL, NULL, 1, x));

    return add_op(r, OP_DIV, NULL, NULL, 2, one, add_op(r, OP_ADD, NULL, NULL, 2, one, e));
}

/* Eight operands, in every way that they are walked. */
static int several(struct rig *r)
{
    const struct shape shapes[] = {SHAPE(6, 10, 12), SHAPE(10, 1),  SHAPE(12),      SHAPE(6, 1, 1),
                                   SHAPE(1),         SHAPE(10, 12), SHAPE(6, 1, 12)};
    static const enum op_code ops[] = {OP_ADD, OP_MUL, OP_MAXIMUM, OP_SUB, OP_MINIMUM, OP_POW};
    int y = add_source(r, DT_F16, shapes[0], NULL);

    for (int i = 0; i < 6; i++) {
        int other = add_source(r, DT_F16, shapes[i + 1], NULL);

        y = i & 1 ? add_op(r, ops[i], NULL, NULL, 2, other, y)
                  : add_op(r, ops[i], NULL, NULL, 2, y, other);
    }
    y = add_op(r, OP_ABS, NULL, NULL, 1, y);
    return add_op(r, OP_MUL, NULL, NULL, 2, y, add_number(r, DT_F16, 1.5));
}

/* Integers, the value with itself, and a row of odd length side by side. */
static int whole(struct rig *r)
{
    double v[15 * 33];

    for (int i = 0; i < 15 * 33; i++)
        v[i] = floor(50 * noise());
    int x = add_source(r, DT_I32, SHAPE(15, 33), v), row = add_source(r, DT_I32, SHAPE(33), v);
    int y = add_op(r, OP_SUB, NULL, NULL, 2, row, x);

    return add_op(r, OP_NEG, NULL, NULL, 1, add_op(r, OP_MUL, NULL, NULL, 2, y, y));
}

static const struct {
    const char *name;
    int (*build)(struct rig *r);
    enum ops_precision precision;
} passes[] = {
    {"softmax", softmax, OPS_DOUBLE}, {"softmax_odd", softmax_odd, OPS_DOUBLE},
    {"relu", relu, OPS_DOUBLE},       {"sigmoid", sigmoid, OPS_DOUBLE},
    {"several", several, OPS_FLOAT},  {"whole", whole, OPS_DOUBLE},
};

/* ---- */

/* The pass's result by the interpreting kernel, held against the host's; the caller's. */
static void *interpreted(struct rig *r, const struct ops_run *run)
{
    size_t bytes = (size_t)result_count(r, 0) * 8;
    void *ret = xmalloc(bytes);
    int made = gpu()->n_specials;

    gpu()->special_least = INT64_MAX;
    assert_int_equal(evaluate(r, run), 0);
    assert_int_equal(gpu()->n_specials, made);
    memcpy(ret, r->out[0], bytes);
    return ret;
}

static const struct gpu_made_special *last_made(void)
{
    return &gpu()->specials[(gpu()->n_specials + GPU_SPECIALS - 1) % GPU_SPECIALS];
}

static void special_is_interpreted(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(passes); i++) {
        struct ops_run run = {.precision = passes[i].precision};
        int made = gpu()->n_specials;
        struct rig r;

        rig_start(&r);
        finish(&r, passes[i].build(&r));

        AUTO(freep) void *want = interpreted(&r, &run);

        gpu()->special_least = 1;
        for (int again = 0; again < 2; again++) { /* the second time it is there */
            assert_int_equal(evaluate(&r, &run), 0);
            assert_int_equal(gpu()->n_specials, made + 1);
            if (!last_made()->kernel)
                fail_msg("%s: not what tests/emu/special has:\n%s", passes[i].name,
                         last_made()->text);
            assert_memory_equal(r.out[0], want, (size_t)result_count(&r, 0) * 8);
        }
        rig_end(&r);
    }
}

/* Passes of n elements, which tests/emu/special has not: the interpreter does them, and they are
 * tried once. */
static void evaluate_unknown(int64_t n, int want_made)
{
    struct rig r;

    rig_start(&r);
    finish(&r, add_op(&r, OP_NEG, NULL, NULL, 1, add_f32(&r, SHAPE(n))));
    assert_int_equal(evaluate(&r, &in_double), 0);
    assert_int_equal(gpu()->n_specials, want_made);
    rig_end(&r);
}

static void what_does_not_compile_is_interpreted(void **state)
{
    int made = gpu()->n_specials;

    (void)state;
    gpu()->special_least = 100;
    evaluate_unknown(99, made); /* too few */
    evaluate_unknown(100, made + 1);
    assert_null(last_made()->kernel);
    evaluate_unknown(100, made + 1);
    evaluate_unknown(101, made + 2);
    evaluate_unknown(100, made + 2);
}

static void the_oldest_goes(void **state)
{
    int made = gpu()->n_specials;

    (void)state;
    gpu()->special_least = 1;
    for (int i = 0; i <= GPU_SPECIALS; i++)
        evaluate_unknown(200 + i, made + i + 1);
    made = gpu()->n_specials;
    evaluate_unknown(200 + GPU_SPECIALS, made);
    evaluate_unknown(201, made);
    evaluate_unknown(200, made + 1);
    special_is_interpreted(state); /* those that had a kernel are made anew */
}

/* Only operands that lie for it are loaded four at a time. */
static void addresses_count(void **state)
{
    static const struct {
        uintptr_t x, row, y;
        bool want;
    } cases[] = {
        {4096, 8192, 32, true},  {4096, 0, 32, true},     {4112, 8192, 32, false},
        {4096, 8200, 32, false}, {4096, 8192, 48, false},
    };

    (void)state;
    gpu()->special_least = 1;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct gpu_pass a = {.in = {{(void *)cases[i].x, DT_F32}, {(void *)cases[i].row, DT_F32}},
                             .y = (void *)cases[i].y,
                             .n = 50 + (int64_t)i};
        int made = gpu()->n_specials;

        for (int k = 0; k < 2; k++)
            a.pass.ax[k] = (struct axes){1, {a.n}, {1}};
        a.pass.n_steps = 1;
        a.pass.steps[0] = (struct pass_step){OP_ADD, 1, 0};
        assert_null(gpu_special_kernel(gpu(), &a, STORE_F64));
        assert_int_equal(gpu()->n_specials, made + cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_is_interpreted),
        cmocka_unit_test(what_does_not_compile_is_interpreted),
        cmocka_unit_test(the_oldest_goes),
        cmocka_unit_test(addresses_count),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);

    gpu_engine_close(&engine);
    judge->close(judge_ctx);
    return rc;
}
