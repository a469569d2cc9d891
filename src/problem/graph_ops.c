/* SPDX-License-Identifier: MIT */
/* The core ops: their names, and the dtype and shape of their results. */
#include "problem/graph_ops.h"

#include <stdio.h>
#include <string.h>

const struct op_info op_table[OP_COUNT] = {
    [OP_SOURCE] = {"source", OP_CLASS_SOURCE, 0, 0, "an input or a parameter"},
    [OP_CONST] = {"const", OP_CLASS_SOURCE, 0, 0, "one value everywhere"},
    [OP_IOTA] = {"iota", OP_CLASS_SOURCE, 0, 0, "the index along an axis"},
    [OP_NEG] = {"neg", OP_CLASS_ELEMENTWISE, 1, 1, "-x"},
    [OP_ABS] = {"abs", OP_CLASS_ELEMENTWISE, 1, 1, "absolute value"},
    [OP_SQRT] = {"sqrt", OP_CLASS_ELEMENTWISE, 1, 1, "square root"},
    [OP_EXP] = {"exp", OP_CLASS_ELEMENTWISE, 1, 1, "e to the x"},
    [OP_EXPM1] = {"expm1", OP_CLASS_ELEMENTWISE, 1, 1, "exp(x) - 1"},
    [OP_LOG] = {"log", OP_CLASS_ELEMENTWISE, 1, 1, "natural logarithm"},
    [OP_LOG1P] = {"log1p", OP_CLASS_ELEMENTWISE, 1, 1, "log(1 + x)"},
    [OP_TANH] = {"tanh", OP_CLASS_ELEMENTWISE, 1, 1, "hyperbolic tangent"},
    [OP_ERF] = {"erf", OP_CLASS_ELEMENTWISE, 1, 1, "error function"},
    [OP_SIN] = {"sin", OP_CLASS_ELEMENTWISE, 1, 1, "sine"},
    [OP_COS] = {"cos", OP_CLASS_ELEMENTWISE, 1, 1, "cosine"},
    [OP_FLOOR] = {"floor", OP_CLASS_ELEMENTWISE, 1, 1, "largest whole number <= x"},
    [OP_NOT] = {"not", OP_CLASS_ELEMENTWISE, 1, 1, "logical not"},
    [OP_CAST] = {"cast", OP_CLASS_ELEMENTWISE, 1, 1, "to another dtype"},
    [OP_ADD] = {"add", OP_CLASS_ELEMENTWISE, 2, 2, "a + b"},
    [OP_SUB] = {"sub", OP_CLASS_ELEMENTWISE, 2, 2, "a - b"},
    [OP_MUL] = {"mul", OP_CLASS_ELEMENTWISE, 2, 2, "a * b"},
    [OP_DIV] = {"div", OP_CLASS_ELEMENTWISE, 2, 2, "a / b"},
    [OP_POW] = {"pow", OP_CLASS_ELEMENTWISE, 2, 2, "a ^ b"},
    [OP_MINIMUM] = {"minimum", OP_CLASS_ELEMENTWISE, 2, 2, "the smaller of a and b"},
    [OP_MAXIMUM] = {"maximum", OP_CLASS_ELEMENTWISE, 2, 2, "the larger of a and b"},
    [OP_LT] = {"lt", OP_CLASS_ELEMENTWISE, 2, 2, "a < b"},
    [OP_LE] = {"le", OP_CLASS_ELEMENTWISE, 2, 2, "a <= b"},
    [OP_GT] = {"gt", OP_CLASS_ELEMENTWISE, 2, 2, "a > b"},
    [OP_GE] = {"ge", OP_CLASS_ELEMENTWISE, 2, 2, "a >= b"},
    [OP_EQ] = {"eq", OP_CLASS_ELEMENTWISE, 2, 2, "a equals b"},
    [OP_NE] = {"ne", OP_CLASS_ELEMENTWISE, 2, 2, "a differs from b"},
    [OP_AND] = {"and", OP_CLASS_ELEMENTWISE, 2, 2, "logical and"},
    [OP_OR] = {"or", OP_CLASS_ELEMENTWISE, 2, 2, "logical or"},
    [OP_WHERE] = {"where", OP_CLASS_ELEMENTWISE, 3, 3, "a where the condition holds, else b"},
    [OP_SUM] = {"sum", OP_CLASS_REDUCE, 1, 1, "sum over axes"},
    [OP_PROD] = {"prod", OP_CLASS_REDUCE, 1, 1, "product over axes"},
    [OP_MAX] = {"max", OP_CLASS_REDUCE, 1, 1, "largest over axes"},
    [OP_MIN] = {"min", OP_CLASS_REDUCE, 1, 1, "smallest over axes"},
    [OP_ARGMAX] = {"argmax", OP_CLASS_REDUCE, 1, 1, "index of the largest, the first on ties"},
    [OP_ARGMIN] = {"argmin", OP_CLASS_REDUCE, 1, 1, "index of the smallest, the first on ties"},
    [OP_TOPK] = {"topk", OP_CLASS_REDUCE, 1, 1, "places of the k largest, falling, first on ties"},
    [OP_CUMSUM] = {"cumsum", OP_CLASS_SCAN, 1, 1, "running sum along an axis"},
    [OP_CUMPROD] = {"cumprod", OP_CLASS_SCAN, 1, 1, "running product along an axis"},
    [OP_MATMUL] = {"matmul", OP_CLASS_CONTRACT, 2, 2, "batched matrix product"},
    [OP_GROUPED_MATMUL] = {"grouped_matmul", OP_CLASS_CONTRACT, 3, 3,
                           "runs of rows times a matrix each"},
    [OP_CONV] = {"conv", OP_CLASS_CONTRACT, 2, 3, "convolution over 1 to 3 axes"},
    [OP_CONV_TRANSPOSE] = {"conv_transpose", OP_CLASS_CONTRACT, 2, 3, "transposed convolution"},
    [OP_MAX_POOL] = {"max_pool", OP_CLASS_WINDOW, 1, 1, "largest in a window"},
    [OP_AVG_POOL] = {"avg_pool", OP_CLASS_WINDOW, 1, 1, "mean of a window, padding counted"},
    [OP_RESHAPE] = {"reshape", OP_CLASS_MOVE, 1, 1, "the same elements in another shape"},
    [OP_PERMUTE] = {"permute", OP_CLASS_MOVE, 1, 1, "axes in another order"},
    [OP_SLICE] = {"slice", OP_CLASS_MOVE, 1, 1, "part of an axis, with a step"},
    [OP_CONCAT] = {"concat", OP_CLASS_MOVE, 1, 256, "tensors one after the other along an axis"},
    [OP_PAD] = {"pad", OP_CLASS_MOVE, 1, 1, "a value around the edges"},
    [OP_EXPAND] = {"expand", OP_CLASS_MOVE, 1, 1, "broadcast to a shape"},
    [OP_GATHER] = {"gather", OP_CLASS_MOVE, 2, 2, "slices of x by index"},
    [OP_TAKE] = {"take", OP_CLASS_MOVE, 2, 2, "elements of x by index along an axis"},
    [OP_LSTM] = {"lstm", OP_CLASS_RECUR, 5, 5, "LSTM over time, one layer and direction"},
    [OP_GRU] = {"gru", OP_CLASS_RECUR, 4, 4, "GRU over time, one layer and direction"},
    [OP_RNN] = {"rnn", OP_CLASS_RECUR, 4, 4, "tanh cell over time"},
    [OP_DELTA_RULE] = {"delta_rule", OP_CLASS_RECUR, 5, 5, "gated delta rule over time"},
};

bool op_parse(const char *name, enum op_code *ret)
{
    for (int i = 0; i < OP_COUNT; i++) {
        if (!strcmp(op_table[i].name, name)) {
            *ret = (enum op_code)i;
            return true;
        }
    }
    return false;
}

struct shape_text shape_text(const struct shape *s)
{
    struct shape_text t = {"["};
    size_t len = 1;

    for (int i = 0; i < s->rank; i++)
        len += (size_t)snprintf(t.s + len, sizeof(t.s) - len, "%s%lld", i ? ", " : "",
                                (long long)s->dim[i]);
    snprintf(t.s + len, sizeof(t.s) - len, "]");
    return t;
}

const struct node *infer_operand(const struct infer *f, int i)
{
    return &f->graph->nodes[f->node->in[i]];
}

int infer_refuse(const struct infer *f, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return fail(f->err, ERR_INPUT, "%s: %s", op_table[f->node->op].name, text);
}

int infer_same_dtype(const struct infer *f, int i, int j)
{
    enum dtype a = infer_operand(f, i)->dtype, b = infer_operand(f, j)->dtype;

    if (a == b)
        return 0;
    return infer_refuse(f, "%s and %s do not mix: write cast(x, %s) or cast(x, %s)", dtype_name(a),
                        dtype_name(b), dtype_name(a), dtype_name(b));
}

/* The result has the dtype and shape of operand i. */
static int like(struct infer *f, int i)
{
    f->node->dtype = infer_operand(f, i)->dtype;
    f->node->shape = infer_operand(f, i)->shape;
    return 0;
}

static int need_float(const struct infer *f, int i)
{
    enum dtype t = infer_operand(f, i)->dtype;

    if (dtype_is_float(t))
        return 0;
    return infer_refuse(f, "needs floating point, not %s: write cast(x, f32)", dtype_name(t));
}

static int need_number(const struct infer *f, int i)
{
    if (infer_operand(f, i)->dtype != DT_BOOL)
        return 0;
    return infer_refuse(f, "needs numbers, not bool: write cast(x, f32) or where(x, a, b)");
}

static int need_bool(const struct infer *f, int i)
{
    enum dtype t = infer_operand(f, i)->dtype;

    if (t == DT_BOOL)
        return 0;
    return infer_refuse(f, "needs bool, not %s: write ne(x, 0)", dtype_name(t));
}

static int need_integer(const struct infer *f, int i)
{
    enum dtype t = infer_operand(f, i)->dtype;

    if (!dtype_is_float(t) && t != DT_BOOL)
        return 0;
    return infer_refuse(f, "the index must be an integer tensor, not %s", dtype_name(t));
}

static int need_axis(const struct infer *f, int axis, int rank)
{
    if (axis >= 0 && axis < rank)
        return 0;
    return infer_refuse(f, "axis %d is out of range for rank %d", axis, rank);
}

static int broadcast(struct infer *f, int i, int j)
{
    const struct shape *a = &infer_operand(f, i)->shape, *b = &infer_operand(f, j)->shape;

    if (shape_broadcast(a, b, &f->node->shape))
        return 0;
    return infer_refuse(f, "%s and %s do not broadcast", shape_text(a).s, shape_text(b).s);
}

static int infer_given(struct infer *f)
{
    f->node->dtype = f->want->dtype;
    f->node->shape = f->want->shape;
    return f->node->op == OP_IOTA ? need_axis(f, f->node->attrs.axis, f->node->shape.rank) : 0;
}

static int infer_unary_float(struct infer *f)
{
    return need_float(f, 0) < 0 ? -1 : like(f, 0);
}

static int infer_unary_number(struct infer *f)
{
    return need_number(f, 0) < 0 ? -1 : like(f, 0);
}

static int infer_not(struct infer *f)
{
    return need_bool(f, 0) < 0 ? -1 : like(f, 0);
}

static int infer_cast(struct infer *f)
{
    like(f, 0);
    f->node->dtype = f->want->dtype;
    if (f->node->attrs.keep && (need_float(f, 0) < 0 || !dtype_is_float(f->want->dtype)))
        return infer_refuse(f, "unrounded from %s to %s: only between float types",
                            dtype_name(infer_operand(f, 0)->dtype), dtype_name(f->want->dtype));
    return 0;
}

static int infer_arith(struct infer *f)
{
    f->node->dtype = infer_operand(f, 0)->dtype;
    if (infer_same_dtype(f, 0, 1) < 0 || need_number(f, 0) < 0)
        return -1;
    return broadcast(f, 0, 1);
}

/* Only floats are divided: integer division has two meanings (toward zero, downwards). */
static int infer_div(struct infer *f)
{
    return infer_same_dtype(f, 0, 1) < 0 || need_float(f, 0) < 0 ? -1 : infer_arith(f);
}

static int infer_compare(struct infer *f)
{
    f->node->dtype = DT_BOOL;
    if (infer_same_dtype(f, 0, 1) < 0)
        return -1;
    if (f->node->op != OP_EQ && f->node->op != OP_NE && need_number(f, 0) < 0)
        return -1;
    return broadcast(f, 0, 1);
}

static int infer_logic(struct infer *f)
{
    f->node->dtype = DT_BOOL;
    return need_bool(f, 0) < 0 || need_bool(f, 1) < 0 ? -1 : broadcast(f, 0, 1);
}

static int infer_where(struct infer *f)
{
    struct shape both;
    const struct shape *cond = &infer_operand(f, 0)->shape;

    f->node->dtype = infer_operand(f, 1)->dtype;
    if (need_bool(f, 0) < 0 || infer_same_dtype(f, 1, 2) < 0 || broadcast(f, 1, 2) < 0)
        return -1;
    both = f->node->shape;
    if (!shape_broadcast(cond, &both, &f->node->shape))
        return infer_refuse(f, "the condition %s and the values %s do not broadcast",
                            shape_text(cond).s, shape_text(&both).s);
    return 0;
}

static int infer_reduce(struct infer *f)
{
    const struct node *x = infer_operand(f, 0);
    const struct op_attrs *a = &f->node->attrs;
    struct shape *out = &f->node->shape;

    if (need_number(f, 0) < 0)
        return -1;
    if (a->axes >> x->shape.rank)
        return infer_refuse(f, "an axis is out of range for %s", shape_text(&x->shape).s);
    f->node->dtype = x->dtype;
    out->rank = 0;
    for (int i = 0; i < x->shape.rank; i++) {
        if (!(a->axes >> i & 1))
            out->dim[out->rank++] = x->shape.dim[i];
        else if (a->keep)
            out->dim[out->rank++] = 1;
    }
    return 0;
}

static int infer_arg(struct infer *f)
{
    uint32_t axes = f->node->attrs.axes;

    if (!axes || (axes & (axes - 1)))
        return infer_refuse(f, "takes exactly one axis: write { dim = 1 }");
    if (infer_reduce(f) < 0)
        return -1;
    f->node->dtype = DT_I64;
    return 0;
}

static int infer_topk(struct infer *f)
{
    const struct shape *x = &infer_operand(f, 0)->shape;
    int axis = f->node->attrs.axis;

    if (need_number(f, 0) < 0 || need_axis(f, axis, x->rank) < 0)
        return -1;

    int64_t k = f->want->shape.dim[axis];

    if (k < 1 || k > x->dim[axis])
        return infer_refuse(f, "k = %lld of axis %d, which has %lld", (long long)k, axis,
                            (long long)x->dim[axis]);
    like(f, 0);
    f->node->shape.dim[axis] = k;
    f->node->dtype = DT_I64;
    return 0;
}

static int infer_scan(struct infer *f)
{
    if (need_number(f, 0) < 0 || need_axis(f, f->node->attrs.axis, infer_operand(f, 0)->shape.rank))
        return -1;
    return like(f, 0);
}

static int infer_matmul(struct infer *f)
{
    const struct shape *a = &infer_operand(f, 0)->shape, *b = &infer_operand(f, 1)->shape;
    const struct op_attrs *at = &f->node->attrs;
    struct shape lead_a = *a, lead_b = *b, *out = &f->node->shape;

    if (infer_same_dtype(f, 0, 1) < 0 || need_number(f, 0) < 0)
        return -1;
    if (a->rank < 2 || b->rank < 2)
        return infer_refuse(f, "%s x %s: both need at least two axes: reshape first",
                            shape_text(a).s, shape_text(b).s);

    int64_t m = a->dim[a->rank - 2], ka = a->dim[a->rank - 1];
    int64_t kb = b->dim[b->rank - 2], n = b->dim[b->rank - 1];

    if (ka != kb && !at->trans_a && !at->trans_b)
        return infer_refuse(f, "%s x %s: %lld and %lld must be equal", shape_text(a).s,
                            shape_text(b).s, (long long)ka, (long long)kb);
    if ((at->trans_a ? m : ka) != (at->trans_b ? n : kb))
        return infer_refuse(f, "%s%s x %s%s: %lld and %lld must be equal", shape_text(a).s,
                            at->trans_a ? "^T" : "", shape_text(b).s, at->trans_b ? "^T" : "",
                            (long long)(at->trans_a ? m : ka), (long long)(at->trans_b ? n : kb));
    lead_a.rank -= 2;
    lead_b.rank -= 2;
    if (!shape_broadcast(&lead_a, &lead_b, out))
        return infer_refuse(f, "%s x %s: the leading axes do not broadcast", shape_text(a).s,
                            shape_text(b).s);
    out->dim[out->rank++] = at->trans_a ? ka : m;
    out->dim[out->rank++] = at->trans_b ? kb : n;
    f->node->dtype = infer_operand(f, 0)->dtype;
    return 0;
}

static int infer_grouped_matmul(struct infer *f)
{
    const struct shape *x = &infer_operand(f, 0)->shape, *w = &infer_operand(f, 1)->shape;
    const struct shape *offsets = &infer_operand(f, 2)->shape;

    if (infer_same_dtype(f, 0, 1) < 0 || need_float(f, 0) < 0 || need_integer(f, 2) < 0)
        return -1;
    if (x->rank != 2 || w->rank != 3 || w->dim[1] != x->dim[1])
        return infer_refuse(f, "%s x %s: (T, K) and (G, K, N) are wanted", shape_text(x).s,
                            shape_text(w).s);
    if (offsets->rank != 1 || offsets->dim[0] != w->dim[0] + 1)
        return infer_refuse(f, "%lld groups have offsets [%lld], not %s", (long long)w->dim[0],
                            (long long)w->dim[0] + 1, shape_text(offsets).s);
    f->node->dtype = infer_operand(f, 0)->dtype;
    f->node->shape = (struct shape){2, {x->dim[0], w->dim[2]}};
    return 0;
}

static int infer_reshape(struct infer *f)
{
    const struct shape *x = &infer_operand(f, 0)->shape, *to = &f->want->shape;
    int64_t have = shape_count(x), need = shape_count(to);

    like(f, 0);
    f->node->shape = *to;
    if (have == need)
        return 0;
    return infer_refuse(f, "%s has %lld elements, %s has %lld", shape_text(x).s, (long long)have,
                        shape_text(to).s, (long long)need);
}

static int infer_permute(struct infer *f)
{
    const struct shape *x = &infer_operand(f, 0)->shape;
    const int *perm = f->node->attrs.perm;
    uint32_t seen = 0;

    like(f, 0);
    for (int i = 0; i < x->rank; i++) {
        if (perm[i] < 0 || perm[i] >= x->rank || (seen >> perm[i] & 1))
            return infer_refuse(f, "the axes must be 0..%d in some order", x->rank - 1);
        seen |= 1u << perm[i];
        f->node->shape.dim[i] = x->dim[perm[i]];
    }
    return 0;
}

static int infer_slice(struct infer *f)
{
    const struct shape *x = &infer_operand(f, 0)->shape;
    const struct op_attrs *a = &f->node->attrs;

    like(f, 0);
    if (need_axis(f, a->axis, x->rank) < 0)
        return -1;

    int64_t dim = x->dim[a->axis], len = f->want->shape.dim[a->axis];
    bool empty = len < 1 || a->step == 0;

    if (empty || a->from < 0 || a->from >= dim || a->from + (len - 1) * a->step < 0 ||
        a->from + (len - 1) * a->step >= dim)
        return infer_refuse(f,
                            "%s: nothing or too much is left of axis %d (from %lld, %lld long, "
                            "step %lld)",
                            shape_text(x).s, a->axis, (long long)a->from, (long long)len,
                            (long long)a->step);
    f->node->shape.dim[a->axis] = len;
    return 0;
}

static int infer_concat(struct infer *f)
{
    struct shape *out = &f->node->shape;
    int axis = f->node->attrs.axis;

    like(f, 0);
    if (need_axis(f, axis, out->rank) < 0)
        return -1;
    for (int i = 1; i < f->node->n_in; i++) {
        const struct shape *x = &infer_operand(f, i)->shape;
        struct shape same = *x;

        if (infer_same_dtype(f, 0, i) < 0)
            return -1;
        if (x->rank == out->rank)
            same.dim[axis] = out->dim[axis];
        if (!shape_equal(&same, out))
            return infer_refuse(f, "%s and %s differ beside axis %d",
                                shape_text(&infer_operand(f, 0)->shape).s, shape_text(x).s, axis);
        out->dim[axis] += x->dim[axis];
    }
    return 0;
}

static int infer_pad(struct infer *f)
{
    const struct op_attrs *a = &f->node->attrs;

    like(f, 0);
    for (int i = 0; i < f->node->shape.rank; i++) {
        if (a->lo[i] < 0 || a->hi[i] < 0)
            return infer_refuse(f, "padding must not be negative: slice cuts off");
        f->node->shape.dim[i] += a->lo[i] + a->hi[i];
    }
    return 0;
}

static int infer_expand(struct infer *f)
{
    const struct shape *x = &infer_operand(f, 0)->shape, *to = &f->want->shape;

    f->node->dtype = infer_operand(f, 0)->dtype;
    if (shape_broadcast(x, to, &f->node->shape) && shape_equal(&f->node->shape, to))
        return 0;
    return infer_refuse(f, "%s does not broadcast to %s", shape_text(x).s, shape_text(to).s);
}

static int infer_gather(struct infer *f)
{
    const struct shape *x = &infer_operand(f, 0)->shape, *index = &infer_operand(f, 1)->shape;
    struct shape *out = &f->node->shape;
    int axis = f->node->attrs.axis;

    if (need_integer(f, 1) < 0 || need_axis(f, axis, x->rank) < 0)
        return -1;
    if (x->rank - 1 + index->rank > SHAPE_MAX_RANK)
        return infer_refuse(f, "%s by %s has more than %d axes", shape_text(x).s,
                            shape_text(index).s, SHAPE_MAX_RANK);
    f->node->dtype = infer_operand(f, 0)->dtype;
    out->rank = 0;
    for (int i = 0; i < axis; i++)
        out->dim[out->rank++] = x->dim[i];
    for (int i = 0; i < index->rank; i++)
        out->dim[out->rank++] = index->dim[i];
    for (int i = axis + 1; i < x->rank; i++)
        out->dim[out->rank++] = x->dim[i];
    return 0;
}

static int infer_take(struct infer *f)
{
    const struct shape *x = &infer_operand(f, 0)->shape, *index = &infer_operand(f, 1)->shape;
    struct shape same = *x;
    int axis = f->node->attrs.axis;

    if (need_integer(f, 1) < 0 || need_axis(f, axis, x->rank) < 0)
        return -1;
    if (index->rank == x->rank)
        same.dim[axis] = index->dim[axis];
    if (!shape_equal(&same, index))
        return infer_refuse(f, "the index %s must equal %s beside axis %d", shape_text(index).s,
                            shape_text(x).s, axis);
    f->node->dtype = infer_operand(f, 0)->dtype;
    f->node->shape = *index;
    return 0;
}

typedef int infer_fn(struct infer *f);

static infer_fn *const infer_table[OP_COUNT] = {
    [OP_SOURCE] = infer_given,
    [OP_CONST] = infer_given,
    [OP_IOTA] = infer_given,
    [OP_NEG] = infer_unary_number,
    [OP_ABS] = infer_unary_number,
    [OP_SQRT] = infer_unary_float,
    [OP_EXP] = infer_unary_float,
    [OP_EXPM1] = infer_unary_float,
    [OP_LOG] = infer_unary_float,
    [OP_LOG1P] = infer_unary_float,
    [OP_TANH] = infer_unary_float,
    [OP_ERF] = infer_unary_float,
    [OP_SIN] = infer_unary_float,
    [OP_COS] = infer_unary_float,
    [OP_FLOOR] = infer_unary_float,
    [OP_NOT] = infer_not,
    [OP_CAST] = infer_cast,
    [OP_ADD] = infer_arith,
    [OP_SUB] = infer_arith,
    [OP_MUL] = infer_arith,
    [OP_DIV] = infer_div,
    [OP_POW] = infer_arith,
    [OP_MINIMUM] = infer_arith,
    [OP_MAXIMUM] = infer_arith,
    [OP_LT] = infer_compare,
    [OP_LE] = infer_compare,
    [OP_GT] = infer_compare,
    [OP_GE] = infer_compare,
    [OP_EQ] = infer_compare,
    [OP_NE] = infer_compare,
    [OP_AND] = infer_logic,
    [OP_OR] = infer_logic,
    [OP_WHERE] = infer_where,
    [OP_SUM] = infer_reduce,
    [OP_PROD] = infer_reduce,
    [OP_MAX] = infer_reduce,
    [OP_MIN] = infer_reduce,
    [OP_ARGMAX] = infer_arg,
    [OP_ARGMIN] = infer_arg,
    [OP_CUMSUM] = infer_scan,
    [OP_CUMPROD] = infer_scan,
    [OP_MATMUL] = infer_matmul,
    [OP_CONV] = infer_conv,
    [OP_CONV_TRANSPOSE] = infer_conv_transpose,
    [OP_MAX_POOL] = infer_pool,
    [OP_AVG_POOL] = infer_pool,
    [OP_RESHAPE] = infer_reshape,
    [OP_PERMUTE] = infer_permute,
    [OP_SLICE] = infer_slice,
    [OP_CONCAT] = infer_concat,
    [OP_PAD] = infer_pad,
    [OP_EXPAND] = infer_expand,
    [OP_GATHER] = infer_gather,
    [OP_TAKE] = infer_take,
    [OP_LSTM] = infer_recur,
    [OP_GRU] = infer_recur,
    [OP_RNN] = infer_recur,
    [OP_TOPK] = infer_topk,
    [OP_DELTA_RULE] = infer_delta_rule,
    [OP_GROUPED_MATMUL] = infer_grouped_matmul,
};

int op_infer(struct infer *f)
{
    const struct op_info *info = &op_table[f->node->op];
    int n = f->node->n_in;

    if (n < info->min_in || n > info->max_in)
        return infer_refuse(f, "takes %s%d tensors, not %d",
                            info->min_in < info->max_in ? "up to " : "", info->max_in, n);
    if (infer_table[f->node->op](f) < 0)
        return -1;
    for (int i = 0; i < f->node->shape.rank; i++)
        if (f->node->shape.dim[i] < 1)
            return infer_refuse(f, "the result would be %s: nothing is left of axis %d",
                                shape_text(&f->node->shape).s, i);
    if (shape_count(&f->node->shape) < 0)
        return infer_refuse(f, "the result %s has more than %lld elements",
                            shape_text(&f->node->shape).s, (long long)SHAPE_MAX_COUNT);
    return 0;
}
