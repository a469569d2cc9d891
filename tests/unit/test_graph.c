/* SPDX-License-Identifier: MIT */
/* covers: src/problem/graph_ops.c src/problem/graph_view.c src/problem/graph_window.c */
/* Graphs built by hand: what each op gives, refuses, costs, and what is left behind the finish. */
#include "testing.h"

#include "problem/graph.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct law normal = {LAW_NORMAL, 0, 1, 1};

static int source(struct graph *g, const char *name, enum dtype t, struct shape s)
{
    struct err err = ERR_INIT;
    const struct law law = dtype_is_float(t) ? normal
                           : t == DT_BOOL    ? (struct law){LAW_BERNOULLI, 0.5, 0, 1}
                                             : (struct law){LAW_INTS, 0, 2, 1};
    int node = graph_add_source(g, SOURCE_INPUT, name, t, &s, &law, 1, &err);

    must(node, &err);
    return node;
}

static int add(struct graph *g, enum op_code op, int a, int b, const struct op_attrs *attrs)
{
    struct err err = ERR_INIT;
    int in[2] = {a, b};
    int node = graph_add(g, op, in, b < 0 ? 1 : 2, attrs, NULL, &err);

    must(node, &err);
    return node;
}

/* ------------------------------------------------------------------ the table of ops */

static void test_table(void **state)
{
    enum op_code op;

    (void)state;
    for (int i = 0; i < OP_COUNT; i++) {
        assert_non_null(op_table[i].name);
        assert_non_null(op_table[i].summary);
        assert_true(op_table[i].min_in <= op_table[i].max_in);
        assert_true(op_parse(op_table[i].name, &op));
        assert_int_equal(op, i);
    }
    assert_false(op_parse("matmull", &op));
}

/* ------------------------------------------------------------------ shapes and refusals */

#define NONE  \
    {         \
        0,    \
        {     \
            0 \
        }     \
    }
#define S(...)                                \
    {                                         \
        sizeof((int64_t[]){__VA_ARGS__}) / 8, \
        {                                     \
            __VA_ARGS__                       \
        }                                     \
    }

static const struct {
    const char *label;
    enum op_code op;
    enum dtype a_type, b_type;
    struct shape a, b; /* b of rank 0: one operand */
    struct op_attrs attrs;
    const char *want; /* "f32 [4, 2]" or the message */
} cases[] = {
    {"broadcast", OP_ADD, DT_F32, DT_F32, S(4, 1, 3), S(5, 1), {0}, "f32 [4, 5, 3]"},
    {"no broadcast",
     OP_ADD,
     DT_F32,
     DT_F32,
     S(4, 2),
     S(3),
     {0},
     "add: [4, 2] and [3] do not broadcast"},
    {"mixed",
     OP_MUL,
     DT_F32,
     DT_BF16,
     S(4),
     S(4),
     {0},
     "mul: f32 and bf16 do not mix: write cast(x, f32) or cast(x, bf16)"},
    {"integers", OP_ADD, DT_I32, DT_I32, S(4), S(4), {0}, "i32 [4]"},
    {"integer quotient",
     OP_DIV,
     DT_I32,
     DT_I32,
     S(4),
     S(4),
     {0},
     "div: needs floating point, not i32: write cast(x, f32)"},
    {"comparison", OP_LT, DT_I64, DT_I64, S(2, 1), S(3), {0}, "bool [2, 3]"},
    {"bool order",
     OP_LT,
     DT_BOOL,
     DT_BOOL,
     S(2),
     S(2),
     {0},
     "lt: needs numbers, not bool: write cast(x, f32) or where(x, a, b)"},
    {"logic", OP_AND, DT_BOOL, DT_F32, S(2), S(2), {0}, "and: needs bool, not f32: write ne(x, 0)"},
    {"sqrt",
     OP_SQRT,
     DT_I32,
     0,
     S(2),
     NONE,
     {0},
     "sqrt: needs floating point, not i32: write cast(x, f32)"},
    {"sum", OP_SUM, DT_F32, 0, S(2, 3, 4), NONE, {.axes = 5}, "f32 [3]"},
    {"sum keep", OP_SUM, DT_F32, 0, S(2, 3, 4), NONE, {.axes = 5, .keep = true}, "f32 [1, 3, 1]"},
    {"sum of all", OP_SUM, DT_F32, 0, S(2, 3), NONE, {.axes = 3}, "f32 []"},
    {"sum out of range",
     OP_SUM,
     DT_F32,
     0,
     S(2, 3),
     NONE,
     {.axes = 4},
     "sum: an axis is out of range for [2, 3]"},
    {"argmax", OP_ARGMAX, DT_F32, 0, S(2, 3), NONE, {.axes = 2}, "i64 [2]"},
    {"argmax of two",
     OP_ARGMAX,
     DT_F32,
     0,
     S(2, 3),
     NONE,
     {.axes = 3},
     "argmax: takes exactly one axis: write { dim = 1 }"},
    {"cumsum",
     OP_CUMSUM,
     DT_F32,
     0,
     S(2, 3),
     NONE,
     {.axis = 2},
     "cumsum: axis 2 is out of range for rank 2"},
    {"matmul", OP_MATMUL, DT_F32, DT_F32, S(5, 1, 4, 8), S(3, 8, 2), {0}, "f32 [5, 3, 4, 2]"},
    {"matmul unequal",
     OP_MATMUL,
     DT_F32,
     DT_F32,
     S(4, 8),
     S(9, 2),
     {0},
     "matmul: [4, 8] x [9, 2]: 8 and 9 must be equal"},
    {"matmul transposed",
     OP_MATMUL,
     DT_F32,
     DT_F32,
     S(8, 4),
     S(2, 8),
     {.trans_a = true, .trans_b = true},
     "f32 [4, 2]"},
    {"matmul transposed unequal",
     OP_MATMUL,
     DT_F32,
     DT_F32,
     S(4, 8),
     S(2, 9),
     {.trans_b = true},
     "matmul: [4, 8] x [2, 9]^T: 8 and 9 must be equal"},
    {"matmul vector",
     OP_MATMUL,
     DT_F32,
     DT_F32,
     S(8),
     S(8, 2),
     {0},
     "matmul: [8] x [8, 2]: both need at least two axes: reshape first"},
    {"matmul batch",
     OP_MATMUL,
     DT_F32,
     DT_F32,
     S(2, 4, 8),
     S(3, 8, 2),
     {0},
     "matmul: [2, 4, 8] x [3, 8, 2]: the leading axes do not broadcast"},
    {"conv",
     OP_CONV,
     DT_F32,
     DT_F32,
     S(2, 6, 9, 9),
     S(4, 3, 3, 3),
     {.window = {2, {0}, {2, 1}, {1, 0}, {1, 2}, {0}, 2, false}},
     "f32 [2, 4, 5, 5]"},
    {"conv channels",
     OP_CONV,
     DT_F32,
     DT_F32,
     S(2, 6, 9, 9),
     S(4, 6, 3, 3),
     {.window = {2, {0}, {1, 1}, {0}, {1, 1}, {0}, 2, false}},
     "conv: x has 6 channels in 2 groups, the weights [4, 6, 3, 3] want 6 each"},
    {"conv kernel",
     OP_CONV,
     DT_F32,
     DT_F32,
     S(2, 6, 4),
     S(4, 6, 5),
     {.window = {1, {0}, {1}, {0}, {1}, {0}, 1, false}},
     "conv: the kernel does not fit: axis 2 of [2, 6, 4], k 5, pad 0"},
    {"conv rank",
     OP_CONV,
     DT_F32,
     DT_F32,
     S(2, 6, 4),
     S(4, 6, 5, 5),
     {.window = {.groups = 1}},
     "conv: x [2, 6, 4] and weights [4, 6, 5, 5] must have the same number of axes"},
    {"conv_transpose",
     OP_CONV_TRANSPOSE,
     DT_F32,
     DT_F32,
     S(8, 32, 12),
     S(32, 8, 3),
     {.window = {1, {0}, {2}, {1}, {1}, {1}, 4, false}},
     "f32 [8, 32, 24]"},
    {"output_pad",
     OP_CONV_TRANSPOSE,
     DT_F32,
     DT_F32,
     S(8, 32, 12),
     S(32, 8, 3),
     {.window = {1, {0}, {2}, {1}, {1}, {2}, 4, false}},
     "conv_transpose: output_pad must be smaller than stride or dilation"},
    {"pool floor",
     OP_MAX_POOL,
     DT_F32,
     0,
     S(1, 1, 6),
     NONE,
     {.window = {1, {3}, {2}, {0}, {1}, {0}, 1, false}},
     "f32 [1, 1, 2]"},
    {"pool ceil",
     OP_MAX_POOL,
     DT_F32,
     0,
     S(1, 1, 6),
     NONE,
     {.window = {1, {3}, {2}, {0}, {1}, {0}, 1, true}},
     "f32 [1, 1, 3]"},
    /* ceil: the third window would start behind input and left padding, at 4 of 3 + 1 */
    {"pool ceil dropped",
     OP_MAX_POOL,
     DT_F32,
     0,
     S(1, 1, 3),
     NONE,
     {.window = {1, {2}, {2}, {1}, {1}, {0}, 1, true}},
     "f32 [1, 1, 2]"},
    {"pool pad",
     OP_AVG_POOL,
     DT_F32,
     0,
     S(1, 1, 6),
     NONE,
     {.window = {1, {2}, {2}, {2}, {1}, {0}, 1, false}},
     "avg_pool: pad 2 is more than half of k 2"},
    {"permute", OP_PERMUTE, DT_F32, 0, S(2, 3, 4), NONE, {.perm = {2, 0, 1}}, "f32 [4, 2, 3]"},
    {"permute twice",
     OP_PERMUTE,
     DT_F32,
     0,
     S(2, 3),
     NONE,
     {.perm = {1, 1}},
     "permute: the axes must be 0..1 in some order"},
    {"concat", OP_CONCAT, DT_F32, DT_F32, S(2, 3), S(2, 5), {.axis = 1}, "f32 [2, 8]"},
    {"concat unequal",
     OP_CONCAT,
     DT_F32,
     DT_F32,
     S(2, 3),
     S(3, 5),
     {.axis = 1},
     "concat: [2, 3] and [3, 5] differ beside axis 1"},
    {"pad", OP_PAD, DT_F32, 0, S(2, 3), NONE, {.lo = {1, 0}, .hi = {0, 4}}, "f32 [3, 7]"},
    {"gather", OP_GATHER, DT_F32, DT_I64, S(9, 4), S(2, 5), {.axis = 0}, "f32 [2, 5, 4]"},
    {"gather float",
     OP_GATHER,
     DT_F32,
     DT_F32,
     S(9, 4),
     S(2),
     {.axis = 0},
     "gather: the index must be an integer tensor, not f32"},
    {"take", OP_TAKE, DT_F32, DT_I64, S(9, 4), S(9, 1), {.axis = 1}, "f32 [9, 1]"},
    {"take unequal",
     OP_TAKE,
     DT_F32,
     DT_I64,
     S(9, 4),
     S(8, 1),
     {.axis = 1},
     "take: the index [8, 1] must equal [9, 4] beside axis 1"},
    {"too large",
     OP_ADD,
     DT_F32,
     DT_F32,
     S(1 << 24, 1),
     S(1 << 24),
     {0},
     "add: the result [16777216, 16777216] has more than 70368744177664 elements"},
};

static void test_infer(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(graph_freep) struct graph *g = graph_new();
        AUTO(buf_release) struct buf got = BUF_INIT;
        struct err err = ERR_INIT;
        int in[2] = {source(g, "a", cases[i].a_type, cases[i].a), -1};

        if (cases[i].b.rank)
            in[1] = source(g, "b", cases[i].b_type, cases[i].b);

        int n = graph_add(g, cases[i].op, in, in[1] < 0 ? 1 : 2, &cases[i].attrs, NULL, &err);

        if (n >= 0) {
            buf_addf(&got, "%s ", dtype_name(g->nodes[n].dtype));
            shape_print(&g->nodes[n].shape, &got);
        }
        if (strcmp(n >= 0 ? buf_str(&got) : err.text, cases[i].want) != 0)
            fail_msg("%s: got \"%s\", want \"%s\"", cases[i].label,
                     n >= 0 ? buf_str(&got) : err.text, cases[i].want);
    }
}

static void test_wanted_shapes(void **state)
{
    AUTO(graph_freep) struct graph *g = graph_new();
    struct err err = ERR_INIT;
    int x = source(g, "x", DT_F32, (struct shape)S(4, 6));
    struct node want = {.dtype = DT_BF16, .shape = S(5, 5)};
    struct op_attrs slice = {.axis = 1, .from = 5, .step = -2};

    (void)state;
    assert_int_equal(graph_add(g, OP_RESHAPE, &x, 1, NULL, &want, &err), -1);
    assert_string_equal(err.text, "reshape: [4, 6] has 24 elements, [5, 5] has 25");
    assert_int_equal(graph_add(g, OP_EXPAND, &x, 1, NULL, &want, &err), -1);
    assert_string_equal(err.text, "expand: [4, 6] does not broadcast to [5, 5]");
    assert_int_equal(g->nodes[graph_add(g, OP_CAST, &x, 1, NULL, &want, &err)].dtype, DT_BF16);
    want.shape = (struct shape)S(4, 3);
    assert_true(graph_add(g, OP_SLICE, &x, 1, &slice, &want, &err) > 0);
    want.shape = (struct shape)S(4, 4);
    assert_int_equal(graph_add(g, OP_SLICE, &x, 1, &slice, &want, &err), -1);
}

static void test_recurrences(void **state)
{
    AUTO(graph_freep) struct graph *g = graph_new();
    struct err err = ERR_INIT;
    int in[5] = {
        source(g, "gates", DT_F32, (struct shape)S(7, 2, 12)),
        source(g, "w", DT_F32, (struct shape)S(12, 3)),
        source(g, "b", DT_F32, (struct shape)S(12)),
        source(g, "h0", DT_F32, (struct shape)S(2, 3)),
        source(g, "c0", DT_F32, (struct shape)S(2, 3)),
    };
    struct shape both = S(7, 2, 6);
    int lstm = graph_add(g, OP_LSTM, in, 5, NULL, NULL, &err);
    struct cost c;

    (void)state;
    assert_true(lstm > 0);
    assert_true(shape_equal(&g->nodes[lstm].shape, &both));
    graph_cost(g, &c);
    assert_true(cost_contract_total(&c) == 2 * 7 * 2 * 12 * 3);
    assert_int_equal(graph_add(g, OP_GRU, in, 4, NULL, NULL, &err), -1);
    assert_string_equal(err.text, "gru: w_hh must be [12, 4], not [12, 3]");
}

/* ------------------------------------------------------------------ names */

static void test_names(void **state)
{
    static const struct {
        const char *name, *want;
    } bad[] = {
        {"x", "there is already a tensor named x"},
        {"X", "x and X would have the same name in C"},
        {"fc_w", "fc.w and fc_w would have the same name in C"},
        {"1x", "'1x' is no tensor name: letters, digits, '_' and '.', a letter first"},
        {"", "'' is no tensor name: letters, digits, '_' and '.', a letter first"},
        {"a b", "'a b' is no tensor name: letters, digits, '_' and '.', a letter first"},
    };
    AUTO(graph_freep) struct graph *g = graph_new();
    struct shape s = S(2), zero = S(2, 0), huge = S(1 << 30, 1 << 30);

    (void)state;
    source(g, "x", DT_F32, s);
    source(g, "fc.w", DT_F32, s);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        struct err err = ERR_INIT;

        assert_int_equal(
            graph_add_source(g, SOURCE_PARAM, bad[i].name, DT_F32, &s, &normal, 1, &err), -1);
        assert_string_equal(err.text, bad[i].want);
    }

    struct err err = ERR_INIT;

    assert_int_equal(graph_add_source(g, SOURCE_INPUT, "z", DT_F32, &zero, &normal, 1, &err), -1);
    assert_string_equal(err.text, "z: dimension 1 of [2, 0] must be at least 1");
    assert_int_equal(graph_add_source(g, SOURCE_INPUT, "z", DT_F32, &huge, &normal, 1, &err), -1);
    assert_string_equal(err.text,
                        "z: [1073741824, 1073741824] has more than 70368744177664 elements");
    assert_int_equal(graph_add_source(g, SOURCE_INPUT, "z", DT_I32, &s, &normal, 1, &err), -1);
    assert_non_null(strstr(err.text, "z: normal() for i32: "));
    assert_int_equal(graph_add_output(g, "x", 0, &err), -1);
}

/* ------------------------------------------------------------------ finish */

static void add_call(struct graph *g, const char *name, const char *torch, int parent, int result)
{
    g->calls = xrealloc(g->calls, (size_t)(g->n_calls + 1) * sizeof(*g->calls));
    g->calls[g->n_calls++] =
        (struct call){xstrdup(name), torch ? xstrdup(torch) : NULL, parent, result};
}

/* A parameter before the input, dead nodes between, calls with and without a text. */
static void test_finish(void **state)
{
    AUTO(graph_freep) struct graph *g = graph_new();
    AUTO(buf_release) struct buf text = BUF_INIT;
    struct err err = ERR_INIT;
    struct shape s = S(3);

    (void)state;
    assert_int_equal(graph_add_source(g, SOURCE_PARAM, "w", DT_F32, &s, &normal, 1, &err), 0);

    int x = source(g, "x", DT_F32, s);
    int dead = add(g, OP_EXP, x, -1, NULL);
    int y = add(g, OP_MUL, x, 0, NULL);
    int z = add(g, OP_NEG, y, -1, NULL);

    add_call(g, "spelled", "f(%1, %0) + %12", -1, z); /* %12 names no node */
    add_call(g, "outer", "scale(%1, %0)", -1, z);
    add_call(g, "silent", NULL, 1, z);
    add_call(g, "inner", "mul(%1, %0)", 2, y);
    add_call(g, "dead", "exp(%1)", -1, dead);
    add_call(g, "borrowed", "id(%3)", -1, y); /* its result was made elsewhere */
    g->nodes[dead].call = 4;
    g->nodes[y].call = 3;
    g->nodes[z].call = 2;
    assert_int_equal(graph_add_output(g, "z", z, &err), 0);
    assert_int_equal(graph_finish(g, &err), 0);
    assert_string_equal(g->sources[0].name, "x");
    assert_int_equal(g->n_inputs, 1);
    graph_print(g, &text);
    assert_string_equal(buf_str(&text), "%0 = source w -> f32 [3]\n"
                                        "%1 = source x -> f32 [3]\n"
                                        "%2 = mul %1 %0 -> f32 [3]  # inner\n"
                                        "%3 = neg %2 -> f32 [3]  # outer\n"
                                        "output z = %3\n");
    assert_int_equal(g->n_calls, 2);
    assert_string_equal(g->calls[0].torch, "scale(%1, %0)");
    assert_int_equal(g->calls[0].result, 3);
    assert_string_equal(g->calls[1].name, "inner");
    assert_int_equal(g->calls[1].parent, 0);
}

static void test_finish_refuses(void **state)
{
    AUTO(graph_freep) struct graph *g = graph_new();
    struct err err = ERR_INIT;
    struct shape s = S(3);
    int x = source(g, "x", DT_F32, s);

    (void)state;
    assert_int_equal(graph_finish(g, &err), -1);
    assert_string_equal(err.text, "there is no output: end with output(\"y\", y)");
    source(g, "unused", DT_F32, s);
    assert_int_equal(graph_add_output(g, "y", add(g, OP_EXP, x, -1, NULL), &err), 0);
    assert_int_equal(graph_finish(g, &err), -1);
    assert_string_equal(err.text, "input unused: no output needs it");
}

/* ------------------------------------------------------------------ cost, Winograd, hash */

static const struct {
    enum op_code op;
    int64_t k, stride, dilation;
    bool want;
} winograd_cases[] = {
    {OP_CONV, 3, 1, 1, true},  {OP_CONV, 3, 2, 1, false}, {OP_CONV, 5, 1, 1, false},
    {OP_CONV, 3, 1, 2, false}, {OP_CONV, 1, 1, 1, false}, {OP_CONV_TRANSPOSE, 3, 1, 1, true},
};

static void test_winograd(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(winograd_cases); i++) {
        AUTO(graph_freep) struct graph *g = graph_new();
        int64_t k = winograd_cases[i].k, s = winograd_cases[i].stride,
                d = winograd_cases[i].dilation;
        struct op_attrs a = {.window = {2, {0}, {s, s}, {0}, {d, d}, {0}, 1, false}};
        int x = source(g, "x", DT_F32, (struct shape)S(1, 4, 16, 16));
        int w = source(g, "w", DT_F32, (struct shape)S(4, 4, k, k));

        add(g, winograd_cases[i].op, x, w, &a);
        assert_int_equal(graph_winograd(g), winograd_cases[i].want);
    }
}

static void test_cost(void **state)
{
    AUTO(graph_freep) struct graph *g = graph_new();
    struct err err = ERR_INIT;
    struct op_attrs trans = {.trans_a = true}, all = {.axes = 3};
    int a = source(g, "a", DT_BF16, (struct shape)S(8, 4));
    int b = source(g, "b", DT_BF16, (struct shape)S(8, 2));
    int y = add(g, OP_MATMUL, a, b, &trans);
    struct cost c;

    (void)state;
    y = add(g, OP_SUM, add(g, OP_EXP, y, -1, NULL), -1, &all);
    assert_int_equal(graph_add_output(g, "y", y, &err), 0);
    assert_int_equal(graph_finish(g, &err), 0);
    graph_cost(g, &c);
    assert_true(c.contract[DT_BF16] == 2 * 4 * 2 * 8);
    assert_true(cost_contract_total(&c) == c.contract[DT_BF16]);
    assert_true(c.conv_part == 0);
    assert_true(c.other == 8 + 8);
    assert_true(cost_bytes(&c) == 2 * (32 + 16 + 1));
}

static void hash_with(char out[HASH_HEX], double law_scale, bool keep, double rms)
{
    AUTO(graph_freep) struct graph *g = graph_new();
    struct err err = ERR_INIT;
    struct shape s = S(4, 8);
    struct law law = {LAW_SPREAD, 0, 0, law_scale};
    struct op_attrs a = {.axes = 1, .keep = keep};
    struct hash h;

    graph_add_source(g, SOURCE_INPUT, "x", DT_F32, &s, &law, 1, &err);
    g->tolerance.rms = rms;
    assert_int_equal(graph_add_output(g, "y", add(g, OP_SUM, 0, -1, &a), &err), 0);
    assert_int_equal(graph_finish(g, &err), 0);
    hash_init(&h);
    graph_hash(g, &h);
    hash_final(&h, out);
}

static void test_hash(void **state)
{
    char base[HASH_HEX], same[HASH_HEX], keep[HASH_HEX], law[HASH_HEX], rms[HASH_HEX];

    (void)state;
    hash_with(base, 1, false, 0);
    hash_with(same, 0, false, 0); /* scale 0 means 1 */
    hash_with(keep, 1, true, 0);
    hash_with(law, 2, false, 0);
    hash_with(rms, 1, false, 4);
    assert_string_equal(base, same);
    assert_string_not_equal(base, keep);
    assert_string_not_equal(base, law);
    assert_string_not_equal(base, rms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),          cmocka_unit_test(test_infer),
        cmocka_unit_test(test_wanted_shapes),  cmocka_unit_test(test_recurrences),
        cmocka_unit_test(test_names),          cmocka_unit_test(test_finish),
        cmocka_unit_test(test_finish_refuses), cmocka_unit_test(test_winograd),
        cmocka_unit_test(test_cost),           cmocka_unit_test(test_hash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
