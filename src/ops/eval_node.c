/* SPDX-License-Identifier: MIT */
/* From a node's attributes and shapes to the arguments of its loop. */
#include "ops/eval.h"

#include "base/util.h"
#include "ops/conv.h"
#include "ops/threads.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct step {
    const struct eval *e;
    const struct node *node;
    const void *const *in;
    void *y;
    struct err *err;
};

static const struct node *operand(const struct step *s, int i)
{
    return &s->e->g->nodes[s->node->in[i]];
}

static enum store store(const struct step *s, const struct node *node)
{
    return store_of(node->dtype, s->e->run.precision);
}

/* The loops for operand i's type. */
static const struct loops *loops_of(const struct step *s, int i)
{
    return store_loops(store(s, operand(s, i)));
}

static struct span make_span(const struct step *s, int64_t n)
{
    struct span span = {n, 0};

    if (s->e->run.truncate && n > 1)
        span.count -= MAX(1, n / 16);
    span.first = span.count * s->e->run.order / 16;
    return span;
}

/* x walked over the shape it broadcasts to. */
static struct axes broadcast_axes(const struct shape *x, const struct shape *to)
{
    struct axes a = {.rank = to->rank};
    int64_t strides[SHAPE_MAX_RANK];

    shape_strides(x, strides);
    for (int d = 0; d < to->rank; d++) {
        int own = d - (to->rank - x->rank);

        a.dim[d] = to->dim[d];
        a.stride[d] = own < 0 || x->dim[own] == 1 ? 0 : strides[own];
    }
    return a;
}

static int64_t count_range(const struct shape *s, int from, int to)
{
    int64_t n = 1;

    for (int d = from; d < to; d++)
        n *= s->dim[d];
    return n;
}

static struct line_args lines(const struct shape *s, int axis)
{
    struct line_args l = {count_range(s, 0, axis), s->dim[axis], count_range(s, axis + 1, s->rank),
                          s->dim[axis]};

    return l;
}

/* --- sources and elementwise --- */

static int eval_made(const struct step *s)
{
    const struct loops *loops = store_loops(store(s, s->node));

    if (s->node->op == OP_CONST) {
        loops->fill(s->y, shape_count(&s->node->shape), s->node->attrs.value);
        return 0;
    }

    struct line_args l = lines(&s->node->shape, s->node->attrs.axis);

    loops->iota(&l, s->y);
    return 0;
}

static bool is_comparison(enum op_code op)
{
    return op >= OP_LT && op <= OP_NE;
}

static int eval_elementwise(const struct step *s)
{
    const struct node *node = s->node;
    struct axes ax[3];

    if (node->op == OP_CAST) {
        convert_through(node->dtype, store(s, operand(s, 0)), s->in[0], store(s, node), s->y,
                        shape_count(&node->shape));
        return 0;
    }
    for (int i = 0; i < node->n_in; i++)
        ax[i] = broadcast_axes(&operand(s, i)->shape, &node->shape);
    axes_join(ax, node->n_in);
    if (node->op == OP_WHERE)
        loops_of(s, 1)->where(ax, s->in[0], s->in[1], s->in[2], s->y);
    else if (is_comparison(node->op))
        loops_of(s, 0)->compare(node->op, ax, s->in[0], s->in[1], s->y);
    else if (node->n_in == 2)
        loops_of(s, 0)->binary(node->op, ax, s->in[0], s->in[1], s->y);
    else
        loops_of(s, 0)->unary(node->op, s->in[0], s->y, shape_count(&node->shape));
    return 0;
}

/* --- reductions and scans --- */

static int eval_reduce(const struct step *s)
{
    const struct shape *x = &operand(s, 0)->shape;
    struct reduce_args r = {.kept = {.rank = 0}, .reduced = {.rank = 0}};
    int64_t strides[SHAPE_MAX_RANK];

    shape_strides(x, strides);
    for (int d = 0; d < x->rank; d++) {
        struct axes *a = s->node->attrs.axes >> d & 1 ? &r.reduced : &r.kept;

        a->dim[a->rank] = x->dim[d];
        a->stride[a->rank++] = strides[d];
    }
    axes_join(&r.kept, 1);
    axes_join(&r.reduced, 1);
    r.span = make_span(s, axes_count(&r.reduced));
    return loops_of(s, 0)->reduce(s->node->op, &r, s->in[0], s->y, s->err);
}

static int eval_arg(const struct step *s)
{
    struct line_args l = lines(&operand(s, 0)->shape, __builtin_ctz(s->node->attrs.axes));

    l.count = make_span(s, l.length).count;
    loops_of(s, 0)->arg(s->node->op, &l, s->in[0], s->y);
    return 0;
}

static int eval_scan(const struct step *s)
{
    struct line_args l = lines(&s->node->shape, s->node->attrs.axis);

    if (s->e->cut_scans)
        l.count = make_span(s, l.length).count;
    loops_of(s, 0)->scan(s->node->op, &l, s->in[0], s->y);
    return 0;
}

/* --- contractions --- */

/* Operand i as contractions see it: rounded to the cheaper format in a null run. *ret_own is what
 * to free. */
static int rounded_operand(const struct step *s, int i, void **ret_own, const void **ret)
{
    enum rounding r = s->e->run.round_operands;
    int64_t n = shape_count(&operand(s, i)->shape);

    *ret = s->in[i];
    *ret_own = NULL;
    if (r == ROUND_NONE || store(s, operand(s, i)) != STORE_F32)
        return 0;
    *ret_own = loops_scratch((size_t)n * sizeof(float), s->err);
    if (!*ret_own)
        return -1;
    convert_round(r, s->in[i], *ret_own, n);
    *ret = *ret_own;
    return 0;
}

/* Flat index over the output's leading axes -> offset of x's matrix. */
static struct axes batch_axes(const struct shape *x, const struct shape *out)
{
    struct shape lead_x = *x, lead = *out;

    lead_x.rank -= 2;
    lead.rank -= 2;

    struct axes a = broadcast_axes(&lead_x, &lead);
    int64_t matrix = x->dim[x->rank - 2] * x->dim[x->rank - 1];

    for (int d = 0; d < a.rank; d++)
        a.stride[d] *= matrix;
    axes_join(&a, 1);
    return a;
}

static struct matmul_args matmul_args(const struct step *s)
{
    const struct shape *a = &operand(s, 0)->shape, *b = &operand(s, 1)->shape, *y = &s->node->shape;
    const struct op_attrs *at = &s->node->attrs;
    int64_t a_cols = a->dim[a->rank - 1], b_cols = b->dim[b->rank - 1], n = y->dim[y->rank - 1];
    struct matmul_args m = {.batch = count_range(y, 0, y->rank - 2),
                            .batch_a = batch_axes(a, y),
                            .batch_b = batch_axes(b, y)};

    m.gemm = (struct gemm){.m = y->dim[y->rank - 2],
                           .n = n,
                           .k = make_span(s, at->trans_a ? a->dim[a->rank - 2] : a_cols),
                           .a_row = at->trans_a ? 1 : a_cols,
                           .a_col = at->trans_a ? a_cols : 1,
                           .b_row = at->trans_b ? 1 : b_cols,
                           .b_col = at->trans_b ? b_cols : 1,
                           .c_row = n,
                           .c_col = 1};
    /* One matrix for all of a batch: its rows are one tall matrix. */
    if (shape_count(b) == b_cols * b->dim[b->rank - 2] && !at->trans_a &&
        count_range(a, 0, a->rank - 2) == m.batch) {
        m.gemm.m *= m.batch;
        m.batch = 1;
    }
    return m;
}

static int eval_matmul(const struct step *s)
{
    struct matmul_args m = matmul_args(s);
    AUTO(freep) void *own_a = NULL;
    AUTO(freep) void *own_b = NULL;
    const void *a, *b;

    if (rounded_operand(s, 0, &own_a, &a) < 0 || rounded_operand(s, 1, &own_b, &b) < 0)
        return -1;
    return loops_of(s, 0)->matmul(&m, a, b, s->y, s->err);
}

/* Axis i of the window's nd is axis i + 3 - nd of space. */
static int64_t space(const struct window *w, const int64_t *value, int d, int64_t missing)
{
    int i = d - (ITEM_SPACE - w->nd);

    return i < 0 ? missing : value[i];
}

static struct conv_args conv_args(const struct step *s)
{
    const struct window *w = &s->node->attrs.window;
    const struct shape *x = &operand(s, 0)->shape, *y = &s->node->shape;
    struct conv_args c = {.n = x->dim[0],
                          .c = x->dim[1],
                          .o = y->dim[1],
                          .groups = w->groups,
                          .transposed = s->node->op == OP_CONV_TRANSPOSE};

    for (int d = 0; d < ITEM_SPACE; d++) {
        c.in[d] = space(w, x->dim + 2, d, 1);
        c.out[d] = space(w, y->dim + 2, d, 1);
        c.k[d] = space(w, w->k, d, 1);
        c.stride[d] = space(w, w->stride, d, 1);
        c.pad[d] = space(w, w->pad, d, 0);
        c.dilation[d] = space(w, w->dilation, d, 1);
    }
    c.span = make_span(s, c.c / c.groups * c.k[0] * c.k[1] * c.k[2]);
    return c;
}

static int eval_conv(const struct step *s)
{
    struct conv_args c = conv_args(s);
    AUTO(freep) void *own_x = NULL;
    AUTO(freep) void *own_w = NULL;
    const void *x, *w;

    if (rounded_operand(s, 0, &own_x, &x) < 0 || rounded_operand(s, 1, &own_w, &w) < 0)
        return -1;
    return loops_of(s, 0)->conv(&c, x, w, s->node->n_in > 2 ? s->in[2] : NULL, s->y, s->err);
}

static int eval_pool(const struct step *s)
{
    const struct window *w = &s->node->attrs.window;
    const struct shape *x = &operand(s, 0)->shape, *y = &s->node->shape;
    int lead = x->rank - w->nd;
    struct pool_args p = {.planes = count_range(x, 0, lead)};

    for (int d = 0; d < ITEM_SPACE; d++) {
        p.in[d] = space(w, x->dim + lead, d, 1);
        p.out[d] = space(w, y->dim + lead, d, 1);
        p.k[d] = space(w, w->k, d, 1);
        p.stride[d] = space(w, w->stride, d, 1);
        p.pad[d] = space(w, w->pad, d, 0);
        p.dilation[d] = space(w, w->dilation, d, 1);
    }
    p.span = make_span(s, p.k[0] * p.k[1] * p.k[2]);
    loops_of(s, 0)->pool(s->node->op, &p, s->in[0], s->y);
    return 0;
}

static int eval_recur(const struct step *s)
{
    const struct shape *x = &operand(s, 0)->shape;
    int64_t hidden = operand(s, 1)->shape.dim[1];
    struct recur_args r = {.steps = x->dim[0],
                           .batch = x->dim[1],
                           .hidden = hidden,
                           .used_steps = x->dim[0] - (s->e->run.truncate ? 1 : 0),
                           .gates = (int)(x->dim[2] / hidden),
                           .span = {hidden, hidden * s->e->run.order / 16}};
    const void *in[5] = {s->in[0], s->in[1], s->in[2], s->in[3],
                         s->node->n_in > 4 ? s->in[4] : NULL};
    bool is_float = s->e->run.precision == OPS_FLOAT;

    return loops_of(s, 0)->recur(s->node->op, &r, in,
                                 is_float ? s->e->run.round_operands : ROUND_NONE, s->y, s->err);
}

/* --- movement --- */

static int eval_move(const struct step *s)
{
    const struct op_attrs *at = &s->node->attrs;
    const struct shape *x = &operand(s, 0)->shape, *y = &s->node->shape;
    const char *from = s->in[0];
    struct axes a = broadcast_axes(x, y);
    int64_t strides[SHAPE_MAX_RANK];

    shape_strides(x, strides);
    for (int d = 0; d < y->rank; d++) {
        a.dim[d] = y->dim[d];
        if (s->node->op != OP_EXPAND)
            a.stride[d] = strides[s->node->op == OP_PERMUTE ? at->perm[d] : d];
    }
    if (s->node->op == OP_SLICE) {
        from += (size_t)(at->from * strides[at->axis]) * loops_of(s, 0)->size;
        a.stride[at->axis] *= at->step;
    }
    axes_join(&a, 1);
    loops_of(s, 0)->move(&a, from, s->y);
    return 0;
}

static int eval_concat(const struct step *s)
{
    const struct shape *y = &s->node->shape;
    int axis = s->node->attrs.axis;
    size_t size = loops_of(s, 0)->size, inner = (size_t)count_range(y, axis + 1, y->rank) * size;
    int64_t outer = count_range(y, 0, axis);
    size_t row = (size_t)y->dim[axis] * inner;
    char *to = s->y;

    for (int i = 0; i < s->node->n_in; i++) {
        size_t part = (size_t)operand(s, i)->shape.dim[axis] * inner;
        const char *from = s->in[i];

#pragma omp parallel for num_threads(threads_for((double)outer *(double)(part / size)))
        for (int64_t o = 0; o < outer; o++)
            memcpy(to + (size_t)o * row, from + (size_t)o * part, part);
        to += part;
    }
    return 0;
}

static int eval_pad(const struct step *s)
{
    const struct shape *x = &operand(s, 0)->shape, *y = &s->node->shape;
    struct pad_args p = {.rank = MAX(1, x->rank), .in = {1}, .out = {1}};

    p.value = s->node->attrs.value;
    for (int d = 0; d < x->rank; d++) {
        p.in[d] = x->dim[d];
        p.out[d] = y->dim[d];
        p.lo[d] = s->node->attrs.lo[d];
    }
    loops_of(s, 0)->pad(&p, s->in[0], s->y);
    return 0;
}

/* Indices come with the data, so nobody has looked at them before. */
static int check_index(const struct step *s, int64_t length)
{
    const int64_t *index = s->in[1];
    int64_t n = shape_count(&operand(s, 1)->shape);

    for (int64_t i = 0; i < n; i++) {
        if (index[i] < 0 || index[i] >= length)
            return fail(s->err, ERR_INPUT, "%s: index %lld at element %lld is outside 0..%lld",
                        op_table[s->node->op].name, (long long)index[i], (long long)i,
                        (long long)length - 1);
    }
    return 0;
}

static int eval_gather(const struct step *s)
{
    const struct shape *x = &operand(s, 0)->shape;
    int axis = s->node->attrs.axis;
    struct gather_args g = {count_range(x, 0, axis), x->dim[axis],
                            shape_count(&operand(s, 1)->shape), count_range(x, axis + 1, x->rank)};

    if (check_index(s, g.length) < 0)
        return -1;
    loops_of(s, 0)->gather(&g, s->in[0], s->in[1], s->y);
    return 0;
}

static int eval_take(const struct step *s)
{
    const struct shape *x = &operand(s, 0)->shape;
    int axis = s->node->attrs.axis;
    int64_t strides[SHAPE_MAX_RANK];
    struct take_args t = {.length = x->dim[axis], .count = shape_count(&s->node->shape)};

    if (check_index(s, t.length) < 0)
        return -1;
    shape_strides(x, strides);
    t.index.rank = x->rank;
    for (int d = 0; d < x->rank; d++) {
        t.index.dim[d] = s->node->shape.dim[d];
        t.index.stride[d] = d == axis ? 0 : strides[d];
    }
    t.stride = strides[axis];
    axes_join(&t.index, 1);
    loops_of(s, 0)->take(&t, s->in[0], s->in[1], s->y);
    return 0;
}

static int eval_nothing(const struct step *s)
{
    (void)s; /* a reshape is its operand's memory */
    return 0;
}

typedef int eval_fn(const struct step *s);

static eval_fn *eval_function(enum op_code op)
{
    switch (op) {
    case OP_CONST:
    case OP_IOTA:
        return eval_made;
    case OP_ARGMAX:
    case OP_ARGMIN:
        return eval_arg;
    case OP_MATMUL:
        return eval_matmul;
    case OP_RESHAPE:
        return eval_nothing;
    case OP_CONCAT:
        return eval_concat;
    case OP_PAD:
        return eval_pad;
    case OP_GATHER:
        return eval_gather;
    case OP_TAKE:
        return eval_take;
    default:
        break;
    }
    switch (op_table[op].class) {
    case OP_CLASS_ELEMENTWISE:
        return eval_elementwise;
    case OP_CLASS_REDUCE:
        return eval_reduce;
    case OP_CLASS_SCAN:
        return eval_scan;
    case OP_CLASS_CONTRACT:
        return eval_conv;
    case OP_CLASS_WINDOW:
        return eval_pool;
    case OP_CLASS_RECUR:
        return eval_recur;
    default:
        return eval_move;
    }
}

int eval_node(const struct eval *e, int n, const void *const *in, void *y, struct err *err)
{
    struct step s = {e, &e->g->nodes[n], in, y, err};

    return eval_function(s.node->op)(&s);
}

int64_t eval_terms(const struct graph *g, const struct node *node)
{
    const struct shape *x = node->n_in ? &g->nodes[node->in[0]].shape : &node->shape;
    const struct window *w = &node->attrs.window;
    int64_t n = 1;

    switch (op_table[node->op].class) {
    case OP_CLASS_REDUCE:
        return shape_count(x) / shape_count(&node->shape);
    case OP_CLASS_SCAN:
        return x->dim[node->attrs.axis];
    case OP_CLASS_RECUR:
        return x->dim[0] + 1; /* the last step goes, were it the only one */
    case OP_CLASS_CONTRACT:
        if (node->op == OP_MATMUL)
            return x->dim[x->rank - (node->attrs.trans_a ? 2 : 1)];
        n = x->dim[1] / w->groups;
        break;
    case OP_CLASS_WINDOW:
        break;
    default:
        return 1;
    }
    for (int i = 0; i < w->nd; i++)
        n *= w->k[i];
    return n;
}
