/* SPDX-License-Identifier: MIT */
/* The PyTorch spelling of every core op. Most are a form with $0, $1, ... for the operands; those
 * with attributes have a function. To add a core op: a form or a function, and a line in the table.
 */
#include "problem/torch_ops.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *torch_dtype(enum dtype dtype)
{
    static const char *const names[DT_COUNT] = {
        [DT_F64] = "torch.float64",
        [DT_F32] = "torch.float32",
        [DT_F16] = "torch.float16",
        [DT_BF16] = "torch.bfloat16",
        [DT_F8E4M3] = "torch.float8_e4m3fn",
        [DT_F8E5M2] = "torch.float8_e5m2",
        [DT_I64] = "torch.int64",
        [DT_I32] = "torch.int32",
        [DT_I8] = "torch.int8",
        [DT_U8] = "torch.uint8",
        [DT_BOOL] = "torch.bool",
    };

    return names[dtype];
}

void torch_add_number(double v, enum dtype dtype, struct buf *out)
{
    char text[40];

    if (dtype == DT_BOOL) {
        buf_adds(out, v != 0 ? "True" : "False");
    } else if (!dtype_is_float(dtype)) {
        buf_addf(out, "%.0f", v);
    } else if (!isfinite(v)) {
        buf_addf(out, "float(\"%s\")", isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
    } else {
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, sizeof(text), "%.*g", digits, v);
            if (strtod(text, NULL) == v)
                break;
        }
        buf_adds(out, text);
    }
}

void torch_add_dims(const struct shape *s, struct buf *out)
{
    for (int i = 0; i < s->rank; i++)
        buf_addf(out, "%s%lld", i ? ", " : "", (long long)s->dim[i]);
    if (s->rank == 0)
        buf_adds(out, "()");
}

/* ------------------------------------------------------------------ operands */

static bool is_number(const struct graph *g, int node)
{
    return g->nodes[node].op == OP_CONST && g->nodes[node].shape.rank == 0;
}

/* A number is written as such only beside a tensor, from which it takes its dtype and device. */
bool torch_inlines(const struct graph *g, const struct node *n, int i)
{
    int first = n->op == OP_WHERE;

    if (op_table[n->op].class != OP_CLASS_ELEMENTWISE || n->n_in != first + 2 || i < first)
        return false;
    return is_number(g, n->in[i]) && !is_number(g, n->in[first + (i == first)]);
}

bool torch_is_operand(const struct graph *g, const struct node *n)
{
    switch (n->op) {
    case OP_RESHAPE:
    case OP_EXPAND:
        return shape_equal(&n->shape, &g->nodes[n->in[0]].shape);
    case OP_SLICE:
        return n->attrs.step > 0 && shape_equal(&n->shape, &g->nodes[n->in[0]].shape);
    case OP_SUM:
    case OP_PROD:
    case OP_MAX:
    case OP_MIN:
        return !n->attrs.axes;
    default:
        return false;
    }
}

static void add_operand(const struct torch_names *t, const struct node *n, int i, struct buf *out)
{
    const struct node *x = &t->graph->nodes[n->in[i]];

    if (torch_inlines(t->graph, n, i))
        torch_add_number(x->attrs.value, x->dtype, out);
    else
        buf_adds(out, t->of_node[n->in[i]]);
}

static void add_form(const struct torch_names *t, const struct node *n, const char *form,
                     struct buf *out)
{
    for (; *form; form++) {
        if (*form == '$')
            add_operand(t, n, *++form - '0', out);
        else
            buf_addch(out, *form);
    }
}

static void add_dtype(const struct torch_names *t, enum dtype dtype, struct buf *out)
{
    buf_adds(out, dtype == DT_F32 && t->f32 ? t->f32 : torch_dtype(dtype));
}

static void add_place(const struct torch_names *t, const struct node *n, struct buf *out)
{
    buf_adds(out, ", dtype=");
    add_dtype(t, n->dtype, out);
    if (t->device)
        buf_addf(out, ", device=%s", t->device);
}

static const struct node *operand(const struct torch_names *t, const struct node *n, int i)
{
    return &t->graph->nodes[n->in[i]];
}

/* ------------------------------------------------------------------ ops with attributes */

static void expr_const(const struct torch_names *t, const struct node *n, struct buf *out)
{
    buf_adds(out, "torch.full((");
    if (n->shape.rank)
        torch_add_dims(&n->shape, out);
    buf_adds(out, n->shape.rank == 1 ? ",), " : "), ");
    torch_add_number(n->attrs.value, n->dtype, out);
    add_place(t, n, out);
    buf_addch(out, ')');
}

static void expr_iota(const struct torch_names *t, const struct node *n, struct buf *out)
{
    int64_t len = n->shape.dim[n->attrs.axis];

    buf_addf(out, "torch.arange(%lld", (long long)len);
    add_place(t, n, out);
    buf_addch(out, ')');
    if (n->shape.rank == 1)
        return;
    buf_adds(out, ".reshape(");
    for (int i = 0; i < n->shape.rank; i++)
        buf_addf(out, "%s%lld", i ? ", " : "", (long long)(i == n->attrs.axis ? len : 1));
    buf_adds(out, ").expand(");
    torch_add_dims(&n->shape, out);
    buf_addch(out, ')');
}

static void expr_cast(const struct torch_names *t, const struct node *n, struct buf *out)
{
    add_form(t, n, "$0.to(", out);
    add_dtype(t, n->dtype, out);
    buf_addch(out, ')');
}

/* The larger of a tensor and a number is a clamp. */
static void expr_extremum(const struct torch_names *t, const struct node *n, struct buf *out)
{
    bool max = n->op == OP_MAXIMUM;

    if (torch_inlines(t->graph, n, 0))
        add_form(t, n, max ? "torch.clamp($1, min=$0)" : "torch.clamp($1, max=$0)", out);
    else if (torch_inlines(t->graph, n, 1))
        add_form(t, n, max ? "torch.clamp($0, min=$1)" : "torch.clamp($0, max=$1)", out);
    else
        add_form(t, n, max ? "torch.maximum($0, $1)" : "torch.minimum($0, $1)", out);
}

static void add_axes(uint32_t axes, struct buf *out)
{
    const char *sep = "";

    for (int i = 0; i < SHAPE_MAX_RANK; i++) {
        if (axes >> i & 1) {
            buf_addf(out, "%s%d", sep, i);
            sep = ", ";
        }
    }
}

/* PyTorch widens sums of integers to int64. */
static void add_sum_dtype(const struct node *n, struct buf *out)
{
    if (!dtype_is_float(n->dtype) && n->dtype != DT_I64)
        buf_addf(out, ", dtype=%s", torch_dtype(n->dtype));
}

static void expr_reduce(const struct torch_names *t, const struct node *n, struct buf *out)
{
    static const char *const names[OP_COUNT] = {
        [OP_SUM] = "sum", [OP_MAX] = "amax", [OP_MIN] = "amin"};

    buf_addf(out, "torch.%s(", names[n->op]);
    add_form(t, n, "$0, dim=[", out);
    add_axes(n->attrs.axes, out);
    buf_adds(out, n->attrs.keep ? "], keepdim=True" : "]");
    if (n->op == OP_SUM)
        add_sum_dtype(n, out);
    buf_addch(out, ')');
}

/* torch.prod takes one axis at a time. The last axis goes first, so that the others keep their
 * numbers. */
static void expr_prod(const struct torch_names *t, const struct node *n, struct buf *out)
{
    add_form(t, n, "$0", out);
    for (int i = SHAPE_MAX_RANK - 1; i >= 0; i--) {
        if (n->attrs.axes >> i & 1) {
            buf_addf(out, ".prod(%d, keepdim=%s", i, n->attrs.keep ? "True" : "False");
            add_sum_dtype(n, out);
            buf_addch(out, ')');
        }
    }
}

static void expr_arg(const struct torch_names *t, const struct node *n, struct buf *out)
{
    buf_addf(out, "torch.%s(", op_table[n->op].name);
    add_form(t, n, "$0, dim=", out);
    add_axes(n->attrs.axes, out);
    buf_adds(out, n->attrs.keep ? ", keepdim=True)" : ")");
}

/* torch.topk leaves the order of equal values open; a stable sort does not. */
static void expr_topk(const struct torch_names *t, const struct node *n, struct buf *out)
{
    add_form(t, n, "torch.sort($0, ", out);
    buf_addf(out, "dim=%d, descending=True, stable=True)[1].narrow(%d, 0, %lld)", n->attrs.axis,
             n->attrs.axis, (long long)n->shape.dim[n->attrs.axis]);
}

static void expr_scan(const struct torch_names *t, const struct node *n, struct buf *out)
{
    buf_addf(out, "torch.%s(", op_table[n->op].name);
    add_form(t, n, "$0", out);
    buf_addf(out, ", dim=%d", n->attrs.axis);
    add_sum_dtype(n, out);
    buf_addch(out, ')');
}

/* PyTorch has no plain product of float8 tensors; float32 holds their products exactly. */
static void expr_matmul(const struct torch_names *t, const struct node *n, struct buf *out)
{
    if (n->dtype == DT_F8E4M3 || n->dtype == DT_F8E5M2) {
        add_form(t, n,
                 n->attrs.trans_a ? "torch.matmul($0.float().mT, " : "torch.matmul($0.float(), ",
                 out);
        add_form(t, n, n->attrs.trans_b ? "$1.float().mT)" : "$1.float())", out);
        return;
    }
    add_form(t, n, n->attrs.trans_a ? "torch.matmul($0.mT, " : "torch.matmul($0, ", out);
    add_form(t, n, n->attrs.trans_b ? "$1.mT)" : "$1)", out);
}

static void add_ints(const int64_t *v, int n, struct buf *out)
{
    buf_addch(out, '[');
    for (int i = 0; i < n; i++)
        buf_addf(out, "%s%lld", i ? ", " : "", (long long)v[i]);
    buf_addch(out, ']');
}

static void expr_conv(const struct torch_names *t, const struct node *n, struct buf *out)
{
    const struct window *w = &n->attrs.window;

    buf_addf(out, "F.%s%dd(", op_table[n->op].name, w->nd);
    add_form(t, n, n->n_in > 2 ? "$0, $1, $2, " : "$0, $1, None, ", out);
    add_ints(w->stride, w->nd, out);
    buf_adds(out, ", ");
    add_ints(w->pad, w->nd, out);
    if (n->op == OP_CONV_TRANSPOSE) {
        buf_adds(out, ", ");
        add_ints(w->output_pad, w->nd, out);
        buf_addf(out, ", %lld", (long long)w->groups);
    }
    buf_adds(out, ", ");
    add_ints(w->dilation, w->nd, out);
    if (n->op == OP_CONV)
        buf_addf(out, ", %lld", (long long)w->groups);
    buf_addch(out, ')');
}

/* PyTorch pools (N, C, space...). If other axes precede the space, they are merged into channels.
 */
static void expr_pool(const struct torch_names *t, const struct node *n, struct buf *out)
{
    const struct window *w = &n->attrs.window;
    const struct shape *x = &operand(t, n, 0)->shape;
    bool plain = x->rank == w->nd + 2;

    buf_addf(out, "F.%s%dd(", op_table[n->op].name, w->nd);
    add_form(t, n, "$0", out);
    if (!plain) {
        buf_adds(out, ".reshape(1, -1");
        for (int i = x->rank - w->nd; i < x->rank; i++)
            buf_addf(out, ", %lld", (long long)x->dim[i]);
        buf_addch(out, ')');
    }
    buf_adds(out, ", ");
    add_ints(w->k, w->nd, out);
    buf_adds(out, ", ");
    add_ints(w->stride, w->nd, out);
    buf_adds(out, ", ");
    add_ints(w->pad, w->nd, out);
    if (n->op == OP_MAX_POOL) {
        buf_adds(out, ", ");
        add_ints(w->dilation, w->nd, out);
        buf_adds(out, w->ceil ? ", ceil_mode=True" : "");
    }
    buf_addch(out, ')');
    if (!plain) {
        buf_adds(out, ".reshape(");
        torch_add_dims(&n->shape, out);
        buf_addch(out, ')');
    }
}

static void expr_shape(const struct torch_names *t, const struct node *n, struct buf *out)
{
    add_form(t, n, n->op == OP_EXPAND ? "$0.expand(" : "$0.reshape(", out);
    torch_add_dims(&n->shape, out);
    buf_addch(out, ')');
}

static void expr_permute(const struct torch_names *t, const struct node *n, struct buf *out)
{
    add_form(t, n, "$0.permute(", out);
    for (int i = 0; i < n->shape.rank; i++)
        buf_addf(out, "%s%d", i ? ", " : "", n->attrs.perm[i]);
    buf_adds(out, n->shape.rank ? ")" : "())");
}

static void add_colons(int n, struct buf *out)
{
    for (int i = 0; i < n; i++)
        buf_adds(out, ":, ");
}

/* PyTorch has no negative steps: the axis is flipped first. */
static void expr_slice(const struct torch_names *t, const struct node *n, struct buf *out)
{
    const struct op_attrs *a = &n->attrs;
    int64_t dim = operand(t, n, 0)->shape.dim[a->axis], len = n->shape.dim[a->axis];
    int64_t step = a->step > 0 ? a->step : -a->step;
    int64_t from = a->step > 0 ? a->from : dim - 1 - a->from;

    add_form(t, n, a->step > 0 ? "$0" : "torch.flip($0, ", out);
    if (a->step < 0)
        buf_addf(out, "[%d])", a->axis);
    if (len == dim)
        return;
    buf_addch(out, '[');
    add_colons(a->axis, out);
    buf_addf(out, "%lld:%lld", (long long)from, (long long)(from + (len - 1) * step + 1));
    if (step != 1)
        buf_addf(out, ":%lld", (long long)step);
    buf_addch(out, ']');
}

static void expr_concat(const struct torch_names *t, const struct node *n, struct buf *out)
{
    buf_adds(out, "torch.cat([");
    for (int i = 0; i < n->n_in; i++)
        buf_addf(out, "%s%s", i ? ", " : "", t->of_node[n->in[i]]);
    buf_addf(out, "], dim=%d)", n->attrs.axis);
}

/* F.pad counts axes from the last one. */
static void expr_pad(const struct torch_names *t, const struct node *n, struct buf *out)
{
    const struct op_attrs *a = &n->attrs;
    int first = 0;

    while (first < n->shape.rank - 1 && !a->lo[first] && !a->hi[first])
        first++;
    add_form(t, n, "F.pad($0, [", out);
    for (int i = n->shape.rank - 1; i >= first; i--)
        buf_addf(out, "%s%lld, %lld", i < n->shape.rank - 1 ? ", " : "", (long long)a->lo[i],
                 (long long)a->hi[i]);
    buf_adds(out, "], value=");
    torch_add_number(a->value, n->dtype, out);
    buf_addch(out, ')');
}

/* The index operand as int64, the only dtype that PyTorch takes as an index everywhere. */
static const char *index_form(const struct torch_names *t, const struct node *n)
{
    return operand(t, n, 1)->dtype == DT_I64 ? "$1" : "$1.long()";
}

static void expr_gather(const struct torch_names *t, const struct node *n, struct buf *out)
{
    add_form(t, n, "$0[", out);
    add_colons(n->attrs.axis, out);
    add_form(t, n, index_form(t, n), out);
    buf_addch(out, ']');
}

static void expr_take(const struct torch_names *t, const struct node *n, struct buf *out)
{
    add_form(t, n, "torch.gather($0, ", out);
    buf_addf(out, "%d, ", n->attrs.axis);
    add_form(t, n, index_form(t, n), out);
    buf_addch(out, ')');
}

/* ------------------------------------------------------------------ all of them */

typedef void expr_fn(const struct torch_names *t, const struct node *n, struct buf *out);

static const struct {
    const char *form;
    expr_fn *fn;
} spellings[OP_COUNT] = {
    [OP_CONST] = {NULL, expr_const},
    [OP_IOTA] = {NULL, expr_iota},
    [OP_NEG] = {"-$0", NULL},
    [OP_ABS] = {"torch.abs($0)", NULL},
    [OP_SQRT] = {"torch.sqrt($0)", NULL},
    [OP_EXP] = {"torch.exp($0)", NULL},
    [OP_EXPM1] = {"torch.expm1($0)", NULL},
    [OP_LOG] = {"torch.log($0)", NULL},
    [OP_LOG1P] = {"torch.log1p($0)", NULL},
    [OP_TANH] = {"torch.tanh($0)", NULL},
    [OP_ERF] = {"torch.erf($0)", NULL},
    [OP_SIN] = {"torch.sin($0)", NULL},
    [OP_COS] = {"torch.cos($0)", NULL},
    [OP_FLOOR] = {"torch.floor($0)", NULL},
    [OP_NOT] = {"torch.logical_not($0)", NULL},
    [OP_CAST] = {NULL, expr_cast},
    [OP_ADD] = {"$0 + $1", NULL},
    [OP_SUB] = {"$0 - $1", NULL},
    [OP_MUL] = {"$0 * $1", NULL},
    [OP_DIV] = {"$0 / $1", NULL},
    [OP_POW] = {"torch.pow($0, $1)", NULL},
    [OP_MINIMUM] = {NULL, expr_extremum},
    [OP_MAXIMUM] = {NULL, expr_extremum},
    [OP_LT] = {"$0 < $1", NULL},
    [OP_LE] = {"$0 <= $1", NULL},
    [OP_GT] = {"$0 > $1", NULL},
    [OP_GE] = {"$0 >= $1", NULL},
    [OP_EQ] = {"$0 == $1", NULL},
    [OP_NE] = {"$0 != $1", NULL},
    [OP_AND] = {"torch.logical_and($0, $1)", NULL},
    [OP_OR] = {"torch.logical_or($0, $1)", NULL},
    [OP_WHERE] = {"torch.where($0, $1, $2)", NULL},
    [OP_SUM] = {NULL, expr_reduce},
    [OP_PROD] = {NULL, expr_prod},
    [OP_MAX] = {NULL, expr_reduce},
    [OP_MIN] = {NULL, expr_reduce},
    [OP_ARGMAX] = {NULL, expr_arg},
    [OP_ARGMIN] = {NULL, expr_arg},
    [OP_TOPK] = {NULL, expr_topk},
    [OP_CUMSUM] = {NULL, expr_scan},
    [OP_CUMPROD] = {NULL, expr_scan},
    [OP_MATMUL] = {NULL, expr_matmul},
    [OP_GROUPED_MATMUL] = {"grouped_matmul($0, $1, $2)", NULL},
    [OP_CONV] = {NULL, expr_conv},
    [OP_CONV_TRANSPOSE] = {NULL, expr_conv},
    [OP_MAX_POOL] = {NULL, expr_pool},
    [OP_AVG_POOL] = {NULL, expr_pool},
    [OP_RESHAPE] = {NULL, expr_shape},
    [OP_PERMUTE] = {NULL, expr_permute},
    [OP_SLICE] = {NULL, expr_slice},
    [OP_CONCAT] = {NULL, expr_concat},
    [OP_PAD] = {NULL, expr_pad},
    [OP_EXPAND] = {NULL, expr_shape},
    [OP_GATHER] = {NULL, expr_gather},
    [OP_TAKE] = {NULL, expr_take},
    [OP_LSTM] = {"lstm_steps($0, $1, $2, $3, $4)", NULL},
    [OP_GRU] = {"gru_steps($0, $1, $2, $3)", NULL},
    [OP_RNN] = {"rnn_steps($0, $1, $2, $3)", NULL},
    [OP_DELTA_RULE] = {"delta_rule($0, $1, $2, $3, $4)", NULL},
};

void torch_expr(const struct torch_names *t, int node, struct buf *out)
{
    const struct node *n = &t->graph->nodes[node];

    assert(n->op != OP_SOURCE); /* a source has a name and needs no expression */
    if (spellings[n->op].fn)
        spellings[n->op].fn(t, n, out);
    else
        add_form(t, n, spellings[n->op].form, out);
}
