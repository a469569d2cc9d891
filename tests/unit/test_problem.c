/* SPDX-License-Identifier: MIT */
/* covers: src/problem/attrs.c src/problem/declare.c src/problem/trace.c */
/* Problem files, good and bad. Bodies below start at line 3, behind the two lines of HEAD. */
#include "problem_text_rig.h"

#include <string.h>

/* ------------------------------------------------------------------ bad files */

static const struct {
    const char *text, *want; /* the message behind "p.lua:" */
} bad[] = {
    /* order and declarations */
    {"", " problem { ... } is missing"},
    {"problem { 't' }\n", " sizes { ... } is missing"},
    {"sizes { full = {}, small = {} }", "1: sizes { ... } comes right after problem { ... }, once"},
    {"input('x', f32, { 2 })", "1: input comes after problem { ... } and sizes { ... }"},
    {HEAD "problem { 't' }", "3: problem { ... } comes first, and once"},
    {"problem { 't', titel = 1 }", "1: problem: unknown key 'titel'"},
    {"problem { 't', repared = 's' }", "1: problem: unknown key 'repared': did you mean repaired?"},
    {"problem { level = 1 }", "1: problem: the title is missing: problem { \"title\", ... }"},
    {"problem { 't', repaired = 3 }", "1: problem: repaired must be a string, not number"},
    {"problem { 't', setup = 'weights' }", "1: problem: setup can only be \"params\""},
    {"problem 't'", "1: problem takes a table: problem { ... }"},
    {"problem { 't' } sizes { full = { B = 1 } }",
     "1: sizes: small is missing: sizes { full = { B = 8 }, small = { B = 2 } }"},
    {"problem { 't' } sizes { full = { B = 1 }, smal = { B = 1 } }",
     "1: sizes: unknown key 'smal': did you mean small?"},
    {"problem { 't' } sizes { full = { B = 1, N = 2 }, small = { B = 1 } }",
     "1: sizes: small lacks N"},
    {"problem { 't' } sizes { full = { B = 1 }, small = { B = 1, N = 2 } }",
     "1: sizes: small has N, full has not"},
    {"problem { 't' } sizes { full = { B = 'x' }, small = { B = 1 } }",
     "1: sizes: full must hold NAME = number"},
    {"problem { 't' } sizes { full = { relu = 1 }, small = { relu = 1 } }",
     "1: sizes: relu is the name of a function: choose another"},
    /* names */
    {HEAD "y = 1", "3: y is not local: write local y"},
    {HEAD "function f() end", "3: f is not local: write local function f"},
    {HEAD "B = 1", "3: B cannot be changed"},
    {HEAD "relu = 1", "3: relu cannot be changed"},
    {HEAD "nn.linear = 1", "3: linear cannot be changed"},
    {HEAD "local x = rleu", "3: unknown name 'rleu': did you mean relu?"},
    {HEAD "local f = nn.conv4d", "3: unknown name 'conv4d': did you mean conv1d?"},
    /* A name with a newline once made two lines of a message. */
    {HEAD X "local y = x['a\\nb']", "4: a tensor has shape, rank and dtype, not 'a b'"},
    {HEAD "local x = = 1", "3: unexpected symbol near '='"},
    {HEAD X "local y = x +\n", "5: unexpected symbol near <eof>"},
    {HEAD "local t = nil\nlocal y = t.x", "4: attempt to index a nil value (local 't')"},
    /* tensors */
    {HEAD X, " there is no output: end with output(\"y\", y)"},
    {HEAD X X Y, "4: input: there is already a tensor named x"},
    {HEAD X "local z = input('z', f32, { B })\n" Y, " input z: no output needs it"},
    {HEAD "input('x', f32, { B, 0 })", "3: input: x: dimension 1 of [2, 0] must be at least 1"},
    {HEAD "input('x', f32, { -1 })", "3: input: x: dimension 0 of [-1] must be at least 1"},
    {HEAD "input('x', f32, { B / 3 })",
     "3: input x: dimension 0 is 0.666667: whole numbers only (// divides without a rest)"},
    {HEAD "input('x', f32, { 'B' })", "3: input x: dimension 0 must be a whole number, not string"},
    {HEAD "input('x', f32, { 1 << 30, 1 << 30 })",
     "3: input: x: [1073741824, 1073741824] has more than 70368744177664 elements"},
    {HEAD "input('x', f32, { 1, 1, 1, 1, 1, 1, 1, 1, 1 })",
     "3: input x has more than 8 dimensions"},
    {HEAD "input('x', f32, 4)",
     "3: input x must be a list of dimensions such as { 4, 8 }, not number"},
    {HEAD "input('x', 'f31', { B })", "3: input x: there is no dtype 'f31'"},
    {HEAD "input('x', i64, { B })",
     "3: input x: i64 needs a law: ints(low, high), perm() or lengths(max)"},
    {HEAD "input('x', f32, { B }, 3)", "3: input x: a law such as spread() is wanted, not number"},
    {HEAD "input('x', f32, { B }, uniform(1))", "3: write uniform(low, high)"},
    {HEAD "input('x', f32, { B }, spread { scal = 2 })",
     "3: spread: unknown key 'scal': did you mean scale?"},
    {HEAD "input('x', f32, { B }, spread { scale = -2 })",
     "3: spread: scale must be a positive number"},
    {HEAD "param('w', f32, { B }, normal(), normal())", "3: param: too many laws"},
    {HEAD "output('y', 3)", "3: output y: a tensor is wanted, not number"},
    {HEAD "input('x', f32, { B }, check_only(3))",
     "3: write check_only(lengths(max, page)), or another law"},
    {HEAD "local x = input('x', f32, { B, N }, check_only(normal()))\n" Y,
     " every law is for checks only: nothing is left for scored calls; give float inputs spread(), "
     "heavy() or normal()"},
    {HEAD "local x = input('x', f32, { B, N }, needle(), ints(0, 9))\n" Y,
     " every law is for checks only: nothing is left for scored calls; give float inputs spread(), "
     "heavy() or normal()"},
    {HEAD "input('x', f32, { B, N }, ties(3))", "3: write ties(low, high), high itself left out"},
    {HEAD "input('x', f32, { B, N }, paged(4, 1, 3))",
     "3: input: x: paged() for f32: it wants 0 for rows that are alike, 1 for rows of their own"},
    {HEAD "input('x', i32, { B, N }, pages(3, 16))",
     "3: input: x: pages() for i32: the table must have as many entries as there are live pages"},
    {HEAD X Y "null('n', 3)", "5: null n: a tensor is wanted, not number"},
    {HEAD X Y "null('n', x, x)", "5: null n: 2 tensors for 1 outputs"},
    {HEAD X Y "null('n', sum(x))", "5: null n: f32 [] where output y is f32 [2, 6]"},
    {HEAD X Y "null('n', x, { precision = 'f16' })", "5: null: precision can only be f32"},
    {HEAD X Y "null(x)", "5: write null(\"name\", y) with a tensor for each output"},
    {HEAD X Y "cost { flop = 3 }", "5: cost: unknown key 'flop': did you mean flops?"},
    {HEAD X Y "cost { flops = 3 }", "5: cost: type must be a dtype such as f32, not nil"},
    {HEAD X Y "tolerance { sums = 'exact', why = 'w' }",
     "5: tolerance: sums can only be \"compensated\""},
    {HEAD X "local y = as(x, i32)",
     "4: as: cast: unrounded from f32 to i32: only between float types"},
    {HEAD X "local v, i = topk(x, 9)", "4: topk: k = 9 of axis 1, which has 6"},
    {HEAD X "local y = grouped_matmul(x, x, x)",
     "4: grouped_matmul: the index must be an integer tensor, not f32"},
    {HEAD X "local y = kda(x, x, x, x, x)",
     "4: kda: delta_rule: q and v must be (B, T, H, K) and (B, T, H, V), not [2, 6] and [2, 6]"},
    {HEAD X "output('y', unpack { x, x })",
     "4: output y: 2 values, one is wanted: ( ) around a call keep its first"},
    {HEAD X "output('y', x)\noutput('y', x)", "5: output: there is already a tensor named y"},
    /* operators */
    {HEAD X "local y = x < 3",
     "4: < <= > >= give one truth value, not a tensor: write lt(a, b), le, gt, ge"},
    {HEAD X "if 3 >= x then end",
     "4: < <= > >= give one truth value, not a tensor: write lt(a, b), le, gt, ge"},
    {HEAD X "local y = x == exp(x)",
     "4: == and ~= give one truth value, not a tensor: write eq(a, b) or ne(a, b)"},
    {HEAD X "local n = #x",
     "4: a tensor has no #: write x.rank, or x.shape[1] for its first dimension"},
    {HEAD X "local s = x .. 'a'",
     "4: .. joins strings: write concat({ a, b }, { dim = 0 }) for tensors"},
    {HEAD X "local y = x[1]",
     "4: a tensor is not indexed: write slice(x, axis, from, to) or select"},
    {HEAD X "local y = x.size", "4: a tensor has shape, rank and dtype, not 'size'"},
    {HEAD X "x.shape = 1", "4: a tensor cannot be changed: make a new one"},
    {HEAD X "local y = x + cast(x, bf16)",
     "4: add: f32 and bf16 do not mix: write cast(x, f32) or cast(x, bf16)"},
    {HEAD X "local y = cast(x, i32) * 0.5", "4: 0.5 is no i32: write cast(x, f32) first"},
    {HEAD X "local y = x + nil", "4: add: operand 2 must be a tensor, not nil"},
    {HEAD X "local y = x + {}", "4: add: operand 2 must be a tensor, not table"},
    {HEAD X "local y = gt(x, 0) + 1",
     "4: a number and a bool tensor do not mix: write cast(x, f32)"},
    {HEAD X "local y = where(gt(x, 0), 1, 0)",
     "4: where: a number alone has no dtype: write full({}, f32, value)"},
    {HEAD X "local y = where(x, x, x)", "4: where: needs bool, not f32: write ne(x, 0)"},
    /* ops */
    {HEAD X "local y = matmul(x, x)", "4: matmul: [2, 6] x [2, 6]: 6 and 2 must be equal"},
    {HEAD X "local y = nn.linear('fc', 9, 3)(x)",
     "4: linear: matmul: [2, 6] x [3, 9]^T: 6 and 9 must be equal"},
    {HEAD X "local y = softmax(x, { dims = 1 })",
     "4: softmax: unknown option 'dims': did you mean dim?"},
    {HEAD X "local y = softmax(x, { dim = 2 })",
     "4: softmax: dim = 2 is out of range for a tensor of rank 2"},
    {HEAD X "local y = softmax(x, 1)", "4: softmax: options go in a table, as in { dim = ... }"},
    {HEAD X "local y = sum(x, { dim = { 0, -2 } })", "4: sum: dim names axis 0 twice"},
    {HEAD X "local y = relu(3)", "4: relu: x must be a tensor, not number"},
    {HEAD X "local y = relu()", "4: relu: x is missing"},
    {HEAD X "local y = relu(x, x)", "4: relu: too many arguments: write relu(x)"},
    {HEAD X "local y = exp(x, { dim = 1 }) + argmax(x)", "4: argmax: dim is missing"},
    {HEAD X "local y = reshape(x, { 5, 5 })", "4: reshape: [2, 6] has 12 elements, [5, 5] has 25"},
    {HEAD X "local y = reshape(x, { -1, 5 })",
     "4: reshape: 12 elements do not fill dimensions of 5"},
    {HEAD X "local y = slice(x, 1, 2, 9)", "4: slice: 2 to 9 is outside of axis 1, which has 6"},
    {HEAD X "local a, b = split(x, 4, { dim = 1 })",
     "4: split: axis 1 has 6, which are not 4 equal parts"},
    {HEAD X "local y = max_pool(reshape(x, { 1, 2, 6 }), { stride = 2 })",
     "4: max_pool: k is missing"},
    {HEAD X "local y = max_pool(reshape(x, { 1, 2, 6 }), { k = { 2, 2 } })",
     "4: max_pool: k must be a whole number or a list of 1"},
    {HEAD X "local y = rearrange(x, 'b (h d) -> b h d', { h = 4 })",
     "4: rearrange: an axis of 6 does not split into (h d)"},
    {HEAD X "local y = rearrange(x, 'b n -> b')", "4: rearrange: n stands only on the left"},
    {HEAD X "local y = einsum('ij,jk->ik', x)",
     "4: einsum: ij,jk->ik names 2 tensors, 1 are given"},
    {HEAD X "local y = einsum('ij,ij->ik', x, x)", "4: einsum: k stands only on the right"},
    {HEAD X "local y = einsum('ij,jk->ik', x, x)", "4: einsum: j is 6 and 2"},
    {HEAD X "local c = nn.conv2d('c', 3, 4)", "4: nn.conv2d: k is missing"},
    {HEAD X "local c = nn.conv2d('c', 3, 4, { k = 3, groups = 2 })",
     "4: nn.conv2d: 3 channels do not divide into 2 groups"},
    {HEAD X "local c = nn.conv2d(3, 4, { k = 3 })",
     "4: nn.conv2d: the first argument is the layer's name, a string"},
    {HEAD X "local f = nn.linear('fc', 6, 6)\nlocal g = nn.linear('fc', 6, 6)",
     "5: nn.linear: param: there is already a tensor named fc.weight"},
    {HEAD X "local function f(x)\nreturn (matmul(x, x))\nend\nf(x)",
     "5: matmul: [2, 6] x [2, 6]: 6 and 2 must be equal"},
    /* the rest */
    {HEAD "tolerance { rms = 2 }",
     "3: tolerance: why is missing: say what makes this gate the right one"},
    {HEAD "tolerance { rms = 0, why = 'x' }", "3: tolerance: rms must be a positive number"},
    {HEAD "tolerance { atol = 1, why = 'x' }", "3: tolerance: unknown key 'atol'"},
    {HEAD "requires { tensor = 'fp9' }",
     "3: requires: tensor must be fp8, bf16, fp16, tf32, fp64, int8 or fp4"},
    {HEAD "allow { libraries = 1 }", "3: allow: libraries must be true or false"},
    {HEAD "nulls { skip = { mean = true } }", "3: nulls: skip must hold NAME = \"why\""},
};

static void test_bad(void **state)
{
    int failures = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        AUTO(problem_freep) struct problem *p = NULL;
        AUTO(freep) char *want = xasprintf("p.lua:%s", bad[i].want);
        struct err err = ERR_INIT;
        int rc = load(bad[i].text, &p, &err);

        if (rc == 0 || err.kind != ERR_INPUT || strcmp(err.text, want) != 0) {
            print_error("%s\n  got  %s\n  want %s\n", bad[i].text, rc ? err.text : "success", want);
            failures++;
        }
    }
    assert_int_equal(failures, 0);
}

/* A long path is not shortened in messages, as Lua would. */
static void test_long_path(void **state)
{
    AUTO(problem_freep) struct problem *p = NULL;
    AUTO(freep) char *path = NULL, *want = NULL;
    struct err err = ERR_INIT;

    (void)state;
    path = xasprintf("%s/%s.lua", testing_folder,
                     "a_file_with_a_name_that_is_longer_than_sixty_characters_for_sure");
    want = xasprintf("%s:1: unknown name 'foo'", path);
    assert_int_equal(fs_write_atomic(path, "foo()", 5, &err), 0);
    assert_int_equal(problem_load(path, "p", &p, &err), -1);
    assert_non_null(strstr(err.text, want));
}

/* ------------------------------------------------------------------ good files */

/* What an expression over x (f32 [2, 6] in small) gives. */
static const struct {
    const char *expr, *want;
} exprs[] = {
    {"x ^ 2 - x / 3 + 1", "f32 [2, 6]"},
    {"2 - x", "f32 [2, 6]"},
    {"-x", "f32 [2, 6]"},
    {"x * sqrt(2) + exp(0) * abs(-1) * log(2)", "f32 [2, 6]"},
    {"eq(cast(x, i32), 3)", "bool [2, 6]"},
    {"where(gt(x, 0), x, -math.huge)", "f32 [2, 6]"},
    {"logical_not(logical_and(gt(x, 0), lt(x, 1)))", "bool [2, 6]"},
    {"mean(x)", "f32 []"},
    {"mean(x, { dim = { 0, -1 }, keep = true })", "f32 [1, 1]"},
    {"var(x, { dim = 1 })", "f32 [2]"},
    {"std(x, { dim = 1, correction = 1 })", "f32 [2]"},
    {"logsumexp(x, { dim = 1 })", "f32 [2]"},
    {"argmin(x, { dim = 0 })", "i64 [6]"},
    {"log_softmax(x) + softmax(x, { dim = 0 }) + l2_normalize(x)", "f32 [2, 6]"},
    {"relu(x) + relu6(x) + leaky_relu(x, 0.2) + elu(x) + selu(x) + sigmoid(x) + silu(x) + swish(x)",
     "f32 [2, 6]"},
    {"gelu(x) + gelu_tanh(x) + softplus(x) + mish(x) + softsign(x) + sign(x) + rsqrt(x) + "
     "square(x)",
     "f32 [2, 6]"},
    {"hardtanh(x, -2, 2) + hardswish(x) + hardsigmoid(x) + clamp(x, nil, 1)", "f32 [2, 6]"},
    {"floor(x) + sin(x) + cos(x) + erf(x) + expm1(x) + log1p(x) + pow(x, 3)", "f32 [2, 6]"},
    {"reshape(x, { 3, -1 })", "f32 [3, 4]"},
    {"transpose(x)", "f32 [6, 2]"},
    {"permute(x, { 1, 0 })", "f32 [6, 2]"},
    {"slice(x, 1, 1, -1, 2)", "f32 [2, 2]"},
    {"slice(x, -1, nil, nil, -1)", "f32 [2, 6]"},
    {"slice(x, 1, 4, 0, -3)", "f32 [2, 2]"},
    {"select(x, 1, -1)", "f32 [2]"},
    {"concat({ x, x, x }, { dim = 1 })", "f32 [2, 18]"},
    {"stack({ x, x, x }, { dim = 1 })", "f32 [2, 3, 6]"},
    {"stack({ x, x, x }, { dim = -1 })", "f32 [2, 6, 3]"},
    {"pad(x, 1, 4, 3)", "f32 [2, 13]"},
    {"roll(x, -3, { dim = 1 })", "f32 [2, 6]"},
    {"flip(x, { dim = { 0, 1 } })", "f32 [2, 6]"},
    {"tril(x) + triu(x, 1)", "f32 [2, 6]"},
    {"cumsum(x, { dim = -1 }) + cumprod(x, { dim = 0 })", "f32 [2, 6]"},
    {"expand(reshape(x, { 2, 1, 6 }), { 3, 2, 4, 6 })", "f32 [3, 2, 4, 6]"},
    {"flatten(reshape(x, { 2, 3, 2 }), 1)", "f32 [2, 6]"},
    {"unsqueeze(x, -1)", "f32 [2, 6, 1]"},
    {"gather(x, iota({ 3, 4 }, i64, 0), { dim = 1 })", "f32 [2, 3, 4]"},
    {"take(x, full({ 2, 1 }, i64, 0), { dim = 1 })", "f32 [2, 1]"},
    {"rearrange(x, 'b (h d) -> h b d', { h = 3 })", "f32 [3, 2, 2]"},
    {"rearrange(x, 'b (h d) -> (d h) b 1', { d = 2 })", "f32 [6, 2, 1]"},
    {"einsum('bi,bj->bij', x, x)", "f32 [2, 6, 6]"},
    {"einsum('bi,ci->bc', x, x)", "f32 [2, 2]"},
    {"einsum('bi,bi->b', x, x)", "f32 [2]"},
    {"einsum('bi,bi->', x, x)", "f32 []"},
    {"einsum('bi->ib', x)", "f32 [6, 2]"},
    {"einsum('bi,ci,cj,j->b', x, x, x, sum(x, { dim = 0 }))", "f32 [2]"},
    {"matmul(x, x, { trans_b = true })", "f32 [2, 2]"},
    {"linear(x, full({ 3, 6 }, f32, 1))", "f32 [2, 3]"},
    {"linear(sum(x, { dim = 0 }), full({ 3, 6 }, f32, 1), full({ 3 }, f32, 1))", "f32 [3]"},
    {"conv1d(reshape(x, { 1, 2, 6 }), full({ 4, 1, 3 }, f32, 1), nil, { groups = 2, pad = 1 })",
     "f32 [1, 4, 6]"},
    {"conv_transpose1d(reshape(x, { 1, 2, 6 }), full({ 2, 4, 3 }, f32, 1), nil, { stride = 2 })",
     "f32 [1, 4, 13]"},
    {"max_pool(reshape(x, { 1, 2, 6 }), { k = 3, stride = 2, ceil = true })", "f32 [1, 2, 3]"},
    {"avg_pool(reshape(x, { 1, 2, 2, 3 }), { k = { 1, 3 } })", "f32 [1, 2, 2, 1]"},
    {"adaptive_avg_pool(reshape(x, { 1, 2, 2, 3 }))", "f32 [1, 2, 1, 1]"},
    {"batch_norm(x) + layer_norm(x, { 6 }) + group_norm(x, 3) + rms_norm(x)", "f32 [2, 6]"},
    {"instance_norm(reshape(x, { 1, 2, 2, 3 }))", "f32 [1, 2, 2, 3]"},
    {"sdpa(reshape(x, { 1, 3, 4 }), reshape(x, { 1, 3, 4 }), reshape(x, { 1, 3, 4 }), { causal = "
     "true })",
     "f32 [1, 3, 4]"},
    {"mse_loss(x, x * 2) + smooth_l1_loss(x, x * 2) + hinge_loss(x, sign(x))", "f32 []"},
    {"cross_entropy(x, full({ 2 }, i64, 1)) + kl_div(log_softmax(x), softmax(x))", "f32 []"},
    {"triplet_margin_loss(x, x + 1, x - 1)", "f32 []"},
    {"nn.linear('fc', 6, 3)(x)", "f32 [2, 3]"},
    {"nn.conv2d('c', 2, 4, { k = { 1, 2 }, stride = { 1, 2 } })(reshape(x, { 1, 2, 2, 3 }))",
     "f32 [1, 4, 2, 1]"},
    {"nn.conv_transpose2d('c', 2, 4, { k = 3, groups = 2, bias = false })(reshape(x, { 1, 2, 2, 3 "
     "}))",
     "f32 [1, 4, 4, 5]"},
    {"nn.batch_norm('bn', 6)(x) + nn.layer_norm('ln', 6)(x) + nn.group_norm('gn', 3, 6)(x)",
     "f32 [2, 6]"},
    {"nn.mha('attn', 4, 2)(reshape(x, { 3, 1, 4 }))", "f32 [3, 1, 4]"},
    {"(nn.lstm('l', 3, 5, { layers = 2, bidirectional = true })(reshape(x, { 2, 2, 3 })))",
     "f32 [2, 2, 10]"},
    {"select(nn.gru('g', 3, 5, { batch_first = true })(reshape(x, { 1, 4, 3 })), 1, -1)",
     "f32 [1, 5]"},
    {"({ nn.lstm('l', 3, 5, { layers = 2 })(reshape(x, { 2, 2, 3 })) })[3]", "f32 [2, 2, 5]"},
    {"({ nn.rnn('r', 3, 5)(reshape(x, { 2, 2, 3 })) })[2]", "f32 [1, 2, 5]"},
    {"rnn(reshape(x, { 2, 1, 6 }), full({ 6, 6 }, f32, 0), full({ 6 }, f32, 0), full({ 1, 6 }, "
     "f32, 0))",
     "f32 [2, 1, 6]"},
    {"x + #({ split(x, { 2, 1, 3 }, { dim = 1 }) })", "f32 [2, 6]"},
    {"x + x.shape[2] + x.rank + math.floor(2.5) + math.max(1, 2)", "f32 [2, 6]"},
};

static void test_exprs(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(exprs); i++) {
        AUTO(problem_freep) struct problem *p = NULL;
        AUTO(buf_release) struct buf got = BUF_INIT;
        AUTO(freep)
        char *text = xasprintf(
            "problem { 't' }\nsizes { full = { B = 2, N = 6 }, small = { B = 2, N = 6 } }\n" X
            "output('y', %s)\n",
            exprs[i].expr);

        must_load(text, &p);

        const struct graph *g = p->sizes[SIZES_SMALL][0].graph;
        const struct node *y = &g->nodes[g->outputs[0].node];

        buf_addf(&got, "%s ", dtype_name(y->dtype));
        shape_print(&y->shape, &got);
        if (strcmp(buf_str(&got), exprs[i].want) != 0)
            fail_msg("%s: got %s, want %s", exprs[i].expr, buf_str(&got), exprs[i].want);
        for (int c = 0; c < g->n_calls; c++)
            if (strchr(g->calls[c].torch, '$') || strstr(g->calls[c].torch, "nil"))
                fail_msg("%s: %s", exprs[i].expr, g->calls[c].torch);
    }
}

static void test_declarations(void **state)
{
    AUTO(problem_freep) struct problem *p = NULL;
    AUTO(buf_release) struct buf sizes = BUF_INIT;

    (void)state;
    must_load(
        "problem { 'Title', level = 'hard', id = 7, repaired = 'r', algebra = 'a', setup = "
        "'params' }\n"
        "sizes { full = { { B = 4, S = 0.5 }, { B = 8, S = 1.5 } }, small = { B = 2, S = 2 } }\n"
        "local x = input('x', bf16, { B, 3 })\n"
        "local i = input('i', i32, { B }, ints(0, 3), perm())\n"
        "local w = param('w', bf16, { 3 })\n"
        "tolerance { rms = 2, max = 4.5, why = 'because' }\n"
        "requires { tensor = 'fp8', memory = 1 << 20 }\n"
        "allow { libraries = true }\n"
        "nulls { skip = { mean = 'm', copy = 'c' } }\n"
        "output('y', x * w * S)\n"
        "output('j', i + 1)\n",
        &p);
    assert_string_equal(p->title, "Title");
    assert_string_equal(p->level, "hard");
    assert_int_equal(p->id, 7);
    assert_string_equal(p->repaired, "r");
    assert_string_equal(p->algebra, "a");
    assert_true(p->setup_params && p->allow_libraries);
    assert_string_equal(p->requires_tensor, "fp8");
    assert_int_equal(p->requires_memory, 1 << 20);
    assert_int_equal(p->n_null_skips, 2);
    assert_string_equal(p->null_skips[0].name, "copy");
    assert_string_equal(p->null_skips[1].why, "m");
    assert_int_equal(p->n_sizes[SIZES_FULL], 2);
    assert_int_equal(p->n_sizes[SIZES_SMALL], 1);
    size_print(&p->sizes[SIZES_FULL][1], &sizes);
    assert_string_equal(buf_str(&sizes), "B=8 S=1.5");

    const struct graph *g = p->sizes[SIZES_FULL][1].graph;

    assert_int_equal(g->sources[0].shape.dim[0], 8);
    assert_int_equal(g->sources[0].n_laws, 4); /* spread, normal, heavy, needle */
    assert_int_equal(g->sources[0].laws[3].kind, LAW_NEEDLE);
    assert_int_equal(g->sources[1].laws[1].kind, LAW_PERM);
    assert_int_equal(g->sources[2].n_laws, 1);
    assert_int_equal(g->n_laws, 4);
    assert_true(g->tolerance.rms == 2 && g->tolerance.max == 4.5);
    assert_string_equal(g->tolerance.why, "because");
}

static void hash_of_text(const char *text, char out[HASH_HEX])
{
    AUTO(problem_freep) struct problem *p = NULL;

    must_load(text, &p);
    memcpy(out, p->hash, HASH_HEX);
}

static void test_hash(void **state)
{
    static const char *const others[] = {
        HEAD X "output('y', softmax(x, { dim = 0 }))",
        HEAD "local x = input('x', f32, { B, N }, spread())\noutput('y', softmax(x))",
        HEAD X "tolerance { rms = 9, why = 'x' } output('y', softmax(x))",
        HEAD X "allow { libraries = true } output('y', softmax(x))",
        HEAD X "output('z', softmax(x))",
        HEAD X "output('y', softmax(x * 1.0000001))",
    };
    char base[HASH_HEX], other[HASH_HEX];

    (void)state;
    hash_of_text(HEAD X "output('y', softmax(x))", base);
    /* Neither text nor spelling counts. */
    hash_of_text("-- a comment\n" HEAD X "local y = softmax(x, { dim = -1 })\noutput('y', y)",
                 other);
    assert_string_equal(base, other);
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        hash_of_text(others[i], other);
        assert_string_not_equal(base, other);
    }
}

/* Calls carry PyTorch's spelling of what was written, and nest. */
static void test_calls(void **state)
{
    AUTO(problem_freep) struct problem *p = NULL;
    AUTO(buf_release) struct buf text = BUF_INIT;

    (void)state;
    must_load(HEAD X "local h = nn.layer_norm('ln', N)(x)\n"
                     "output('y', clamp(mish(h), nil, 2.5))",
              &p);

    const struct graph *g = p->sizes[SIZES_SMALL][0].graph;

    for (int i = 0; i < g->n_calls; i++)
        buf_addf(&text, "%d %s\n", g->calls[i].parent, g->calls[i].torch);
    assert_string_equal(buf_str(&text), "-1 F.layer_norm(%0, [6], %1, %2, eps=1e-05)\n"
                                        "0 torch.mean(%0, dim=[1], keepdim=True)\n"
                                        "0 torch.mean(%7, dim=[1], keepdim=True)\n"
                                        "-1 F.mish(%16)\n"
                                        "3 F.softplus(%16)\n"
                                        "-1 torch.clamp(%25, None, 2.5)\n");
}

/* ------------------------------------------------------------------ the suites */

/* From the published suites: multiply-adds count 2, parameters in elements. Attention is counted
 * without its softmax, for which the published figure adds 5 per score. */
static const struct {
    const char *word, *name;
    double flops, params, in_bytes, out_bytes;
    bool winograd;
} starters[] = {
    {"1/1", "level1/001_square_matrix_multiplication", 137438953472, 0, 134217728, 67108864, 0},
    {"1/19", "level1/019_relu", 0, 0, 6442450944, 6442450944, 0},
    {"level1/23", "level1/023_softmax", 0, 0, 6442450944, 6442450944, 0},
    {"level1/026", "level1/026_gelu", 0, 0, 6442450944, 6442450944, 0},
    {"1/36", "level1/036_rms_norm", 0, 0, 7516192768, 7516192768, 0},
    {"1/40", "level1/040_layer_norm", 0, 8388608, 268435456, 268435456, 0},
    {"1/42", "level1/042_max_pooling_2d", 0, 0, 2147483648, 2139103232, 0},
    {"1/47", "level1/047_sum_reduction", 0, 0, 8587837440, 2096640, 0},
    {"1/50", "level1/050_conv_standard_2d", 53972582400, 34944, 154140672, 297369600, 0},
    {"1/61", "level1/061_conv_transposed_3d", 260919263232, 62208, 402653184, 441593856, 1},
    {"1/89", "level1/089_cumsum", 0, 0, 4294967296, 4294967296, 0},
    {"1/95", "level1/095_cross_entropy_loss", 0, 0, 537133056, 4, 0},
    {"1/97", "level1/097_scaled_dot_product_attention", 1099511627776, 0, 6442450944, 2147483648,
     0},
    {"2/11", "level2/011_conv_transpose2d_batch_norm_tanh_max_pool_group_norm", 214748364800,
     205440, 134217728, 75759616, 0},
    {"2/22", "level2/022_matmul_scale_residual_clamp_logsumexp_mish", 137438953472, 67117056,
     33554432, 4096, 0},
    {"3/38", "level3/038_lstm_bidirectional", 88583802880, 8680458, 2867200, 400, 0},
    {"3/44", "level3/044_mini_gpt_block", 1030792151040, 7087872, 201326592, 201326592, 0},
};

static void test_starters(void **state)
{
    AUTO(freep) char *tree = fs_share_dir();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(starters); i++) {
        AUTO(problem_freep) struct problem *p = NULL;
        AUTO(problem_freep) struct problem *again = NULL;
        AUTO(problem_ref_release) struct problem_ref ref = {0};
        struct err err = ERR_INIT;
        struct cost c;

        if (problem_find(tree, starters[i].word, &ref, &err) < 0 ||
            problem_load(ref.path, ref.name, &p, &err) < 0 ||
            problem_load(ref.path, ref.name, &again, &err) < 0)
            fail_msg("%s", err.text);
        assert_string_equal(p->name, starters[i].name);
        assert_string_equal(p->hash, again->hash);
        graph_cost(p->sizes[SIZES_FULL][0].graph, &c);
        assert_true(cost_contract_total(&c) == starters[i].flops);
        assert_true(c.param_bytes == 4 * starters[i].params);
        assert_true(c.input_bytes == starters[i].in_bytes);
        assert_true(c.output_bytes == starters[i].out_bytes);
        assert_int_equal(graph_winograd(p->sizes[SIZES_FULL][0].graph), starters[i].winograd);
        /* small is for two cores in a fraction of a second */
        graph_cost(p->sizes[SIZES_SMALL][0].graph, &c);
        assert_true(cost_contract_total(&c) < 5e7 && cost_bytes(&c) < 4e6);
    }
}

static void test_level_and_id(void **state)
{
    static const struct {
        const char *text, *want;
    } wrong[] = {
        {"problem { 't', level = 2 }",
         "p.lua:1: problem: it says level2, but the file is in level1"},
        {"problem { 't', level = 1, id = 20 }",
         "p.lua:1: problem: it says id 20, but the file is number 19"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        AUTO(problem_freep) struct problem *p = NULL;
        struct err err = ERR_INIT;

        assert_int_equal(fs_write_atomic("p.lua", wrong[i].text, strlen(wrong[i].text), &err), 0);
        assert_int_equal(problem_load("p.lua", "level1/019_x", &p, &err), -1);
        assert_string_equal(err.text, wrong[i].want);
    }
}

/* What assay-plain gets: the same problem, made where no file can be opened. */
static void test_pack(void **state)
{
    static const char *const broken[] = {"",       "p\n",    "p\n1\n", "p\n1\n\n5\nabc",
                                         "p\n0\n", "p\n-1\n"};
    AUTO(freep) char *share = fs_share_dir();
    struct err err = ERR_INIT;

    (void)state;
    for (int i = 0; i < 2; i++) { /* without and with a file of problems/lib */
        AUTO(problem_freep) struct problem *p = NULL;
        AUTO(problem_freep) struct problem *again = NULL;
        AUTO(buf_release) struct buf pack = BUF_INIT;
        struct problem_ref ref = {0};

        assert_int_equal(problem_find(share, i ? "level3/35" : "level1/19", &ref, &err), 0);
        assert_int_equal(problem_load(ref.path, ref.name, &p, &err), 0);
        problem_ref_release(&ref);
        assert_int_equal(p->n_texts, 1 + i);
        problem_pack(p, &pack);
        assert_int_equal(problem_unpack(pack.ptr, pack.len, &again, &err), 0);
        assert_string_equal(again->hash, p->hash);
        assert_string_equal(again->name, p->name);
        if (i) { /* a lib that is not in it is not looked for */
            char *count = strstr(pack.ptr, "\n2\n");

            count[1] = '1';
            problem_freep(&again);
            assert_int_equal(problem_unpack(pack.ptr, pack.len, &again, &err), -1);
            assert_non_null(strstr(err.text, "lstm is not among the texts"));
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
        struct problem *p = NULL;

        assert_int_equal(problem_unpack(broken[i], strlen(broken[i]), &p, &err), -1);
    }
}

/* Laws under which work can be saved are for checks by themselves: of float inputs, where values
 * are what counts, not of parameters, and not of indices, masks and lengths. */
static void test_laws_for_checks(void **state)
{
    AUTO(problem_freep) struct problem *p = NULL;

    (void)state;
    must_load(
        HEAD "local x = input('x', f32, { B, N })\n"
             "local y = input('y', bf16, { B, N }, bands(1, 2), ties(0, 9), check_only(spread()))\n"
             "local z = input('z', f32, { B, N }, uniform(0, 1), ints(0, 9), constant(1),\n"
             "  bernoulli(0.5), sorted(1), cluster(2, 8), peaks(4, 8), heavy())\n"
             "local i = input('i', i32, { B, N }, ints(0, 9), constant(1), perm())\n"
             "local m = input('m', bool, { B, N }, bernoulli(0.5))\n"
             "local w = param('w', f32, { N }, ints(4, 12))\n"
             "output('a', where(m, x * w, z) + cast(y, f32) + cast(i, f32))\n",
        &p);

    const struct graph *g = p->sizes[SIZES_FULL][0].graph;
    static const uint32_t want[] = {1 << 3, 1 << 1 | 1 << 2, 0x3E, 0, 0, 0};

    assert_int_equal(g->n_sources, ARRAY_SIZE(want));
    for (int i = 0; i < g->n_sources; i++)
        assert_int_equal(g->sources[i].check_only, want[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws_for_checks), cmocka_unit_test(test_bad),
        cmocka_unit_test(test_long_path),       cmocka_unit_test(test_exprs),
        cmocka_unit_test(test_declarations),    cmocka_unit_test(test_hash),
        cmocka_unit_test(test_calls),           cmocka_unit_test(test_starters),
        cmocka_unit_test(test_level_and_id),    cmocka_unit_test(test_pack),
    };

    return cmocka_run_group_tests(tests, testing_enter_folder, testing_leave_folder);
}
