/* SPDX-License-Identifier: MIT */
/* covers: src/problem/embed.c */
/* The composites of the prelude against second definitions of them, written with other ops: every
 * difference below has to vanish in double precision. */
#include "testing.h"

#include "ops/ops.h"
#include "problem/problem.h"

#include "base/fs.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* x (4, 6), img (2, 6, 5, 7), seq (T = 5, B = 2, 3) and positive p (4, 6) */
#define HEAD                                                                               \
    "problem { 't' } sizes { full = { B = 4 }, small = { B = 4 } }\n"                      \
    "local x = input('x', f64, { B, 6 }, normal())\n"                                      \
    "local img = input('img', f64, { 2, 6, 5, 7 }, normal())\n"                            \
    "local seq = input('seq', f64, { 5, 2, 3 }, normal())\n"                               \
    "local p = input('p', f64, { B, 6 }, uniform(0.1, 2))\n"                               \
    "local function out(d) output('d', sum(abs(d)) + 0 * (sum(x) + sum(img) + sum(seq) + " \
    "sum(p))) end\n"

static const char *const bodies[] = {
    /* movement */
    "out(flip(flip(x, { dim = 1 }), { dim = 1 }) - x)",
    "out(flip(x, { dim = 1 }) - gather(x, 5 - iota({ 6 }, i64), { dim = 1 }))",
    "out(roll(x, 2, { dim = 1 }) - concat({ slice(x, 1, 4, 6), slice(x, 1, 0, 4) }, { dim = 1 }))",
    "out(roll(roll(x, -3, { dim = 0 }), 3, { dim = 0 }) - x)",
    "out(tril(x) + triu(x, 1) - x)",
    "out(select(tril(x, -1), 1, 0) - concat({ full({ 1 }, f64, 0), slice(select(x, 1, 0), 0, 1) "
    "}))",
    "out(stack({ x, x + 1 }, { dim = 1 }) - concat({ unsqueeze(x, 1), unsqueeze(x, 1) + 1 }, { dim "
    "= 1 }))",
    "local a, b, c = split(x, { 1, 2, 3 }, { dim = 1 })\nout(concat({ a, b, c }, { dim = 1 }) - x)",
    "out(rearrange(x, 'b (h d) -> h b d', { h = 2 }) - permute(reshape(x, { 4, 2, 3 }), { 1, 0, 2 "
    "}))",
    "out(rearrange(img, 'n c h w -> (w n) (h c)') - reshape(permute(img, { 3, 0, 2, 1 }), { 14, 30 "
    "}))",
    "out(slice(slice(x, 1, 5, nil, -2), 1, nil, nil, -1) - slice(x, 1, 1, 6, 2))",
    /* einsum */
    "out(einsum('bi,ci->bc', x, x) - matmul(x, transpose(x)))",
    "out(einsum('bi,bi->b', x, x) - sum(x * x, { dim = 1 }))",
    "out(einsum('bi,cj->cbji', x, x) - permute(unsqueeze(unsqueeze(x, 1), 2) * "
    "unsqueeze(unsqueeze(x, 0), 3), { 1, 0, 2, 3 }))",
    "out(einsum('nchw,nc->nhw', img, sum(img, { dim = { 2, 3 } })) - sum(img * sum(img, { dim = { "
    "2, 3 }, keep = true }), { dim = 1 }))",
    "out(einsum('ab,cb,cd->ad', x, x, x) - matmul(matmul(x, transpose(x)), x))",
    "out(einsum('nchw,nchw->hn', img, img) - transpose(sum(img * img, { dim = { 1, 3 } })))",
    "out(einsum('bi->i', x) - sum(x, { dim = 0 }))",
    /* activations */
    "out(leaky_relu(x, 0.2) - (relu(x) - 0.2 * relu(-x)))",
    "out(silu(x) - x * (tanh(x / 2) + 1) / 2)",
    "out(softplus(x * 30) - where(gt(x * 30, 20), x * 30, logsumexp(stack({ x * 30, x * 0 }), { "
    "dim = 0 })))",
    "out(mish(x) - x * ((exp(x) + 1) ^ 2 - 1) / ((exp(x) + 1) ^ 2 + 1))",
    "out(elu(x, 0.7) - (relu(x) + 0.7 * (exp(minimum(x, 0)) - 1)))",
    "out(selu(x) - 1.0507009873554805 * (relu(x) + 1.6732632423543772 * (exp(minimum(x, 0)) - 1)))",
    "out(hardswish(x) - x * hardsigmoid(x))",
    "out(sign(x) - x / abs(x))",
    "out(gelu(x) - (x + abs(x) * erf(abs(x) / sqrt(2))) / 2)",
    "out(gelu_tanh(x) - x * sigmoid(2 * sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))",
    /* reductions and norms */
    "out(log_softmax(x) - log(softmax(x)))",
    "out(logsumexp(x, { dim = { 0, 1 } }) - log(sum(exp(x))))",
    "out(logsumexp(x, { dim = 0, keep = true }) - log(sum(exp(x), { dim = 0, keep = true })))",
    "out(var(x, { dim = 1, correction = 1 }) - (sum(x * x, { dim = 1 }) - sum(x, { dim = 1 }) ^ 2 "
    "/ 6) / 5)",
    "out(norm(l2_normalize(x), { dim = 1 }) - 1)",
    "out(group_norm(img, 6) - instance_norm(img))",
    "out(group_norm(img, 1) - layer_norm(img, { 6, 5, 7 }))",
    "out(group_norm(img, 3) - reshape(layer_norm(reshape(img, { 2, 3, 70 }), { 70 }), { 2, 6, 5, 7 "
    "}))",
    "out(batch_norm(img) - permute(reshape(layer_norm(reshape(permute(img, { 1, 0, 2, 3 }), { 6, "
    "70 }), { 70 }),"
    " { 6, 2, 5, 7 }), { 1, 0, 2, 3 }))",
    "out(batch_norm(x) - transpose(layer_norm(transpose(x), { 4 })))",
    "local w = sum(p, { dim = 0 })\nout(batch_norm(img, w, w) - (batch_norm(img) * reshape(w, { 6, "
    "1, 1 }) + reshape(w, { 6, 1, 1 })))",
    "out(rms_norm(x) * sqrt(mean(x * x, { dim = 1, keep = true }) + 1e-5) - x)",
    "out(adaptive_avg_pool(img) - avg_pool(img, { k = { 5, 7 } }))",
    /* losses */
    "local t = cast(floor(sum(p, { dim = 1 }) / 3), i64)\n"
    "out(cross_entropy(x, t) + mean(sum(log_softmax(x) * cast(eq(unsqueeze(t, 1), iota({ 4, 6 }, "
    "i64, 1)), f64), { dim = 1 })))",
    "out(kl_div(log_softmax(x), softmax(p)) - sum(softmax(p) * (log(softmax(p)) - log_softmax(x))) "
    "/ 4)",
    "local d = abs(x - p)\nout(smooth_l1_loss(x, p) - mean(where(lt(d, 1), d * d / 2, d - 0.5)))",
    /* attention */
    "local s = sdpa(x, x, x, { causal = true })\n"
    "out(slice(s, 0, 0, 1) - slice(x, 0, 0, 1))",
    "local s = sdpa(x, p, x, { causal = true })\n"
    "local r = softmax(matmul(slice(x, 0, 2, 3), transpose(slice(p, 0, 0, 3))) / sqrt(6))\n"
    "out(slice(s, 0, 2, 3) - matmul(r, slice(x, 0, 0, 3)))",
    "local q, one = reshape(img, { 2, 6, 35 }), tril(triu(full({ 35, 35 }, f64, 1)))\n"
    "out(mha(q, 1, concat({ one, one, one }), nil, one) - sdpa(q, q, q))",
    "local q, one = reshape(img, { 2, 7, 30 }), tril(triu(full({ 30, 30 }, f64, 1)))\n"
    "local y = mha(q, 3, concat({ one, one, one }), nil, one, nil, { causal = true })\n"
    "local h = slice(q, 2, 10, 20)\n"
    "out(slice(y, 2, 10, 20) - sdpa(h, h, h, { causal = true }))",
};

/* One layer of a cell, step by step: gates in PyTorch's order. */
#define LSTM_CELL                                                                          \
    "local function cell(xt, h, c, wi, wh, bi, bh)\n"                                      \
    "  local i, f, g, o = split(linear(xt, wi, bi) + linear(h, wh, bh), 4, { dim = 1 })\n" \
    "  c = sigmoid(f) * c + sigmoid(i) * tanh(g)\n"                                        \
    "  return sigmoid(o) * tanh(c), c\n"                                                   \
    "end\n"
#define GRU_CELL                                                       \
    "local function cell(xt, h, c, wi, wh, bi, bh)\n"                  \
    "  local ri, zi, ni = split(linear(xt, wi, bi), 3, { dim = 1 })\n" \
    "  local rh, zh, nh = split(linear(h, wh, bh), 3, { dim = 1 })\n"  \
    "  local z = sigmoid(zi + zh)\n"                                   \
    "  local n = tanh(ni + sigmoid(ri + rh) * nh)\n"                   \
    "  return (1 - z) * n + z * h, c\n"                                \
    "end\n"
/* Weights that are functions of the inputs stand for parameters: core ops, forward and backward. */
#define RECUR                                                                               \
    "local H = 4\n"                                                                         \
    "local function make(a, b, s)\n"                                                        \
    "  local n = iota({ a, b }, f64, 0) * b + iota({ a, b }, f64, 1)\n"                     \
    "  return sin(n * s)\n"                                                                 \
    "end\n"                                                                                 \
    "local wi, wh = make(G * H, 3, 0.7), make(G * H, H, 1.3)\n"                             \
    "local bi, bh = select(make(G * H, 1, 2.1), 1, 0), select(make(G * H, 1, 0.3), 1, 0)\n" \
    "local h, c = make(2, H, 0.9), make(2, H, 1.7)\n"                                       \
    "local h0, c0 = h, c\n"                                                                 \
    "local steps = {}\n"                                                                    \
    "for t = 0, 4 do\n"                                                                     \
    "  h, c = cell(select(seq, 0, t), h, c, wi, wh, bi, bh)\n"                              \
    "  steps[#steps + 1] = h\n"                                                             \
    "end\n"

static const char *const recurrences[] = {
    "local G = 4\n" LSTM_CELL RECUR
    "out(slice(lstm(linear(seq, wi, bi), wh, bh, h0, c0), 2, 0, H) - stack(steps))",
    "local G = 4\n" LSTM_CELL RECUR
    "out(select(slice(lstm(linear(seq, wi, bi), wh, bh, h0, c0), 2, H), 0, -1) - c)",
    "local G = 3\n" GRU_CELL RECUR "out(gru(linear(seq, wi, bi), wh, bh, h0) - stack(steps))",
};

/* The sum of absolute values the body put out. */
static double evaluate(const char *body)
{
    AUTO(problem_freep) struct problem *p = NULL;
    AUTO(freep) char *text = xasprintf(HEAD "%s\n", body);
    const struct ops_run run = {.precision = OPS_DOUBLE};
    struct err err = ERR_INIT;
    void *data[64] = {0};
    double got = NAN;
    void *out[1] = {&got};

    if (fs_write_atomic("p.lua", text, strlen(text), &err) < 0 ||
        problem_load("p.lua", "p", &p, &err) < 0)
        fail_msg("%s\n%s", err.text, body);

    const struct graph *g = p->sizes[SIZES_SMALL][0].graph;

    assert_true(g->n_sources <= (int)ARRAY_SIZE(data));
    for (int i = 0; i < g->n_sources; i++) {
        const struct source *s = &g->sources[i];

        data[i] = xcalloc((size_t)shape_count(&s->shape), dtype_size(s->dtype));
        fill_tensor(&s->laws[0], (uint64_t)i + 1, s->dtype, &s->shape, data[i]);
    }
    if (ops_eval(g, &run, (const void *const *)data, out, &err) < 0)
        fail_msg("%s\n%s", err.text, body);
    for (int i = 0; i < g->n_sources; i++)
        free(data[i]);
    return got;
}

static void check(const char *const *list, size_t n)
{
    int failures = 0;

    for (size_t i = 0; i < n; i++) {
        double d = evaluate(list[i]);

        if (!(d < 1e-9)) {
            print_error("%s\n  differs by %g\n", list[i], d);
            failures++;
        }
    }
    assert_int_equal(failures, 0);
}

static void test_identities(void **state)
{
    (void)state;
    check(bodies, ARRAY_SIZE(bodies));
}

static void test_recurrences(void **state)
{
    (void)state;
    check(recurrences, ARRAY_SIZE(recurrences));
}

/* Two layers, both directions, against one direction at a time with the same parameters. */
static void test_bidirectional(void **state)
{
    static const char *const list[] = {
        "local both, h, c = nn.lstm('l', 3, 4, { bidirectional = true, dtype = f64 })(seq)\n"
        "out(concat({ select(slice(both, 2, 0, 4), 0, -1), select(slice(both, 2, 4), 0, 0) }, { "
        "dim = 1 })"
        " - concat({ select(h, 0, 0), select(h, 0, 1) }, { dim = 1 }))",
        "local f = nn.gru('g', 3, 4, { bidirectional = true, layers = 2, dtype = f64 })\n"
        "local g = nn.gru('g2', 3, 4, { batch_first = true, dtype = f64 })\n"
        "local y, h = f(seq)\n"
        "local z, hz = g(transpose(seq, 0, 1))\n"
        "out(concat({ reshape(select(slice(y, 2, 4), 0, 0) - select(h, 0, 3), { 8 }),"
        " reshape(select(z, 1, -1) - select(hz, 0, 0), { 8 }) }))",
    };

    (void)state;
    check(list, ARRAY_SIZE(list));
}

/* A difference that is there is seen: the harness above can fail. */
static void test_can_fail(void **state)
{
    (void)state;
    assert_true(evaluate("out(gelu(x) - gelu_tanh(x))") > 1e-5);
    assert_true(evaluate("out(tril(x) - x)") > 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_recurrences),
        cmocka_unit_test(test_bidirectional),
        cmocka_unit_test(test_can_fail),
    };

    return cmocka_run_group_tests(tests, testing_enter_folder, testing_leave_folder);
}
