/* SPDX-License-Identifier: MIT */
/* Makes the jobs of a node from its attributes and shapes. */
#include "ops/eval.h"

#include "base/util.h"

struct step {
    const struct eval *e;
    const struct node *node;
    int part; /* number of the job, for a node that has several */
    struct op_job *job;
};

static const struct node *operand(const struct step *s, int i)
{
    return &s->e->g->nodes[s->node->in[i]];
}

static enum store store(const struct step *s, const struct node *node)
{
    return store_of(node->dtype, s->e->run.precision);
}

static struct span make_span(const struct step *s, int64_t n)
{
    struct span span = {n, 0};

    if (s->e->run.truncate && n > 1)
        span.count -= MAX(1, n / 16);
    span.first = span.count * s->e->run.rotation / 16;
    return span;
}

/* The axes that walk x over the shape to which it is broadcast. */
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

static void job_made(const struct step *s)
{
    struct op_job *j = s->job;

    j->store = store(s, s->node);
    j->kind = s->node->op == OP_CONST ? OP_JOB_FILL : OP_JOB_IOTA;
    if (j->kind == OP_JOB_FILL)
        j->value = s->node->attrs.value;
    else
        j->line = lines(&s->node->shape, s->node->attrs.axis);
}

static void job_cast(const struct step *s)
{
    s->job->kind = OP_JOB_CONVERT;
    s->job->convert = (struct convert_args){true, s->node->dtype, store(s, s->node)};
}

static bool is_comparison(enum op_code op)
{
    return op >= OP_LT && op <= OP_NE;
}

static void job_elementwise(const struct step *s)
{
    const struct node *node = s->node;
    struct op_job *j = s->job;

    for (int i = 0; i < node->n_in; i++)
        j->ax[i] = broadcast_axes(&operand(s, i)->shape, &node->shape);
    axes_join(j->ax, node->n_in);
    j->kind = node->op == OP_WHERE      ? OP_JOB_WHERE
              : is_comparison(node->op) ? OP_JOB_COMPARE
              : node->n_in == 2         ? OP_JOB_BINARY
                                        : OP_JOB_UNARY;
    if (node->op == OP_WHERE)
        j->store = store(s, operand(s, 1));
}

/* The job of the pass that node n ends. read: the n_read nodes that it reads. */
static void job_pass(const struct step *s, int n, const int *read, int n_read)
{
    const struct graph *g = s->e->g;
    struct op_job *j = s->job;

    j->kind = OP_JOB_PASS;
    j->store = store(s, s->node);
    passes_steps(s->e->passes, g, n, &j->pass);
    for (int i = 0; i < n_read; i++) {
        j->pass.ax[i] = broadcast_axes(&g->nodes[read[i]].shape, &s->node->shape);
        axes_join(&j->pass.ax[i], 1);
        j->pass.number[i] = g->nodes[read[i]].attrs.value;
    }
}

/* --- reductions and scans --- */

static void job_reduce(const struct step *s)
{
    const struct shape *x = &operand(s, 0)->shape;
    struct reduce_args *r = &s->job->reduce;
    int64_t strides[SHAPE_MAX_RANK];

    s->job->kind = OP_JOB_REDUCE;
    r->kept.rank = r->reduced.rank = 0;
    shape_strides(x, strides);
    for (int d = 0; d < x->rank; d++) {
        struct axes *a = s->node->attrs.axes >> d & 1 ? &r->reduced : &r->kept;

        a->dim[a->rank] = x->dim[d];
        a->stride[a->rank++] = strides[d];
    }
    axes_join(&r->kept, 1);
    axes_join(&r->reduced, 1);
    r->span = make_span(s, axes_count(&r->reduced));
    r->compensated = s->e->run.compensated && s->node->op == OP_SUM && s->job->store == STORE_F32;
}

static void job_topk(const struct step *s)
{
    struct topk_args a = {.line = lines(&operand(s, 0)->shape, s->node->attrs.axis),
                          .k = s->node->shape.dim[s->node->attrs.axis]};

    a.line.count = MAX(a.k, make_span(s, a.line.length).count);
    s->job->kind = OP_JOB_TOPK;
    s->job->topk = a;
}

static void job_arg(const struct step *s)
{
    struct line_args l = lines(&operand(s, 0)->shape, __builtin_ctz(s->node->attrs.axes));

    l.count = make_span(s, l.length).count;
    s->job->kind = OP_JOB_ARG;
    s->job->line = l;
}

static void job_scan(const struct step *s)
{
    struct line_args l = lines(&s->node->shape, s->node->attrs.axis);

    if (s->e->cut_scans)
        l.count = make_span(s, l.length).count;
    s->job->kind = OP_JOB_SCAN;
    s->job->line = l;
}

/* --- contractions --- */

/* The format to which operands of contractions are rounded: that of a null run, else none. */
static enum rounding operand_rounding(const struct step *s)
{
    return store(s, operand(s, 0)) == STORE_F32 ? s->e->run.round_operands : ROUND_NONE;
}

/* The axes from a flat index over the output's leading axes to the offset of x's matrix. */
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
    /* If a whole batch shares one matrix b, the rows of all its matrices a are one tall matrix. */
    if (shape_count(b) == b_cols * b->dim[b->rank - 2] && !at->trans_a &&
        count_range(a, 0, a->rank - 2) == m.batch) {
        m.gemm.m *= m.batch;
        m.batch = 1;
    }
    return m;
}

static void job_matmul(const struct step *s)
{
    s->job->kind = OP_JOB_MATMUL;
    s->job->round = operand_rounding(s);
    s->job->matmul = matmul_args(s);
}

static void job_grouped(const struct step *s)
{
    const struct shape *x = &operand(s, 0)->shape, *w = &operand(s, 1)->shape;
    int64_t n = w->dim[2];

    s->job->kind = OP_JOB_GROUPED;
    s->job->round = operand_rounding(s);
    s->job->grouped = (struct grouped_args){
        .gemm = {x->dim[0], n, make_span(s, x->dim[1]), x->dim[1], 1, n, 1, n, 1},
        .groups = w->dim[0]};
}

static void job_delta(const struct step *s)
{
    const struct shape *q = &operand(s, 0)->shape;

    s->job->kind = OP_JOB_DELTA;
    s->job->round = operand_rounding(s);
    s->job->delta = (struct delta_args){.batch = q->dim[0],
                                        .steps = q->dim[1],
                                        .heads = q->dim[2],
                                        .keys = q->dim[3],
                                        .values = s->node->shape.dim[3],
                                        .used_steps = q->dim[1] - (s->e->run.truncate ? 1 : 0),
                                        .span = {q->dim[3], q->dim[3] * s->e->run.rotation / 16}};
}

/* The value of a window for axis d of space: axis i of the window's nd axes is axis i + 3 - nd of
 * space. */
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

static void job_conv(const struct step *s)
{
    s->job->kind = OP_JOB_CONV;
    s->job->round = operand_rounding(s);
    s->job->conv = conv_args(s);
}

static void job_pool(const struct step *s)
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
    s->job->kind = OP_JOB_POOL;
    s->job->pool = p;
}

static void job_recur(const struct step *s)
{
    const struct shape *x = &operand(s, 0)->shape;
    int64_t hidden = operand(s, 1)->shape.dim[1];

    s->job->kind = OP_JOB_RECUR;
    s->job->round = operand_rounding(s);
    s->job->recur = (struct recur_args){.steps = x->dim[0],
                                        .batch = x->dim[1],
                                        .hidden = hidden,
                                        .used_steps = x->dim[0] - (s->e->run.truncate ? 1 : 0),
                                        .gates = (int)(x->dim[2] / hidden),
                                        .span = {hidden, hidden * s->e->run.rotation / 16}};
}

/* --- movement --- */

/* The address n elements behind `at`; NULL stays NULL. */
static const void *skip(const void *at, int64_t n, size_t size)
{
    return at ? (const char *)at + n * (int64_t)size : NULL;
}

static void job_move(const struct step *s)
{
    const struct op_attrs *at = &s->node->attrs;
    const struct shape *x = &operand(s, 0)->shape, *y = &s->node->shape;
    struct op_job *j = s->job;
    struct axes a = broadcast_axes(x, y);
    int64_t strides[SHAPE_MAX_RANK];

    j->kind = OP_JOB_MOVE;
    shape_strides(x, strides);
    for (int d = 0; d < y->rank; d++) {
        a.dim[d] = y->dim[d];
        if (s->node->op != OP_EXPAND)
            a.stride[d] = strides[s->node->op == OP_PERMUTE ? at->perm[d] : d];
    }
    if (s->node->op == OP_SLICE) {
        j->in[0] = skip(j->in[0], at->from * strides[at->axis], dtype_size(j->type[0]));
        a.stride[at->axis] *= at->step;
    }
    axes_join(&a, 1);
    j->ax[0] = a;
}

static void job_concat(const struct step *s)
{
    const struct shape *y = &s->node->shape;
    int axis = s->node->attrs.axis;
    int64_t inner = count_range(y, axis + 1, y->rank), before = 0;
    struct op_job *j = s->job;

    for (int i = 0; i < s->part; i++)
        before += operand(s, i)->shape.dim[axis] * inner;
    j->kind = OP_JOB_ROWS;
    j->rows =
        (struct rows_args){count_range(y, 0, axis), operand(s, s->part)->shape.dim[axis] * inner,
                           y->dim[axis] * inner};
    j->y = (void *)skip(j->y, before, store_loops(j->store)->size);
    j->count = j->rows.rows * j->rows.width;
}

static void job_pad(const struct step *s)
{
    const struct shape *x = &operand(s, 0)->shape, *y = &s->node->shape;
    struct pad_args p = {.rank = MAX(1, x->rank), .in = {1}, .out = {1}};

    p.value = s->node->attrs.value;
    for (int d = 0; d < x->rank; d++) {
        p.in[d] = x->dim[d];
        p.out[d] = y->dim[d];
        p.lo[d] = s->node->attrs.lo[d];
    }
    s->job->kind = OP_JOB_PAD;
    s->job->pad = p;
}

static void job_gather(const struct step *s)
{
    const struct shape *x = &operand(s, 0)->shape;
    int axis = s->node->attrs.axis;

    s->job->kind = OP_JOB_GATHER;
    s->job->gather =
        (struct gather_args){count_range(x, 0, axis), x->dim[axis],
                             shape_count(&operand(s, 1)->shape), count_range(x, axis + 1, x->rank)};
}

static void job_take(const struct step *s)
{
    const struct shape *x = &operand(s, 0)->shape;
    int axis = s->node->attrs.axis;
    int64_t strides[SHAPE_MAX_RANK];
    struct take_args t = {.length = x->dim[axis], .count = s->job->count};

    shape_strides(x, strides);
    t.index.rank = x->rank;
    for (int d = 0; d < x->rank; d++) {
        t.index.dim[d] = s->node->shape.dim[d];
        t.index.stride[d] = d == axis ? 0 : strides[d];
    }
    t.stride = strides[axis];
    axes_join(&t.index, 1);
    s->job->kind = OP_JOB_TAKE;
    s->job->take = t;
}

typedef void job_fn(const struct step *s);

static job_fn *job_function(enum op_code op)
{
    switch (op) {
    case OP_CONST:
    case OP_IOTA:
        return job_made;
    case OP_ARGMAX:
    case OP_ARGMIN:
        return job_arg;
    case OP_TOPK:
        return job_topk;
    case OP_MATMUL:
        return job_matmul;
    case OP_GROUPED_MATMUL:
        return job_grouped;
    case OP_DELTA_RULE:
        return job_delta;
    case OP_CAST:
        return job_cast;
    case OP_CONCAT:
        return job_concat;
    case OP_PAD:
        return job_pad;
    case OP_GATHER:
        return job_gather;
    case OP_TAKE:
        return job_take;
    default:
        break;
    }
    switch (op_table[op].class) {
    case OP_CLASS_ELEMENTWISE:
        return job_elementwise;
    case OP_CLASS_REDUCE:
        return job_reduce;
    case OP_CLASS_SCAN:
        return job_scan;
    case OP_CLASS_CONTRACT:
        return job_conv;
    case OP_CLASS_WINDOW:
        return job_pool;
    case OP_CLASS_RECUR:
        return job_recur;
    default:
        return job_move;
    }
}

int eval_jobs(const struct node *node)
{
    return lifetimes_is_view(node) ? 0 : node->op == OP_CONCAT ? node->n_in : 1;
}

void eval_job(const struct eval *e, int n, int i, const struct operand *in, void *y,
              struct op_job *ret)
{
    struct step s = {e, &e->g->nodes[n], i, ret};
    int first = s.node->op == OP_CONCAT ? i : 0;
    int read[EVAL_MAX_OPERANDS];
    int n_read = passes_operands(e->passes, e->g, n, read);

    *ret = (struct op_job){.op = s.node->op, .y = y, .count = shape_count(&s.node->shape)};
    for (int k = 0; k < OP_JOB_MAX_IN && first + k < n_read; k++) {
        ret->in[k] = in[first + k].at;
        ret->type[k] = in[first + k].type;
        ret->in_count[k] = shape_count(&e->g->nodes[read[first + k]].shape);
    }
    if (passes_ends(e->passes, e->g, n)) {
        job_pass(&s, n, read, n_read);
        return;
    }
    if (s.node->n_in > 0)
        ret->store = store(&s, operand(&s, first));
    job_function(s.node->op)(&s);
}

int job_index_error(int64_t index, int64_t at, int64_t length, struct err *err)
{
    return fail(err, ERR_INPUT, "index %lld at element %lld is outside 0..%lld", (long long)index,
                (long long)at, (long long)length - 1);
}

int job_check_offsets(const struct grouped_args *g, const int64_t *offsets, struct err *err)
{
    if (offsets[0] != 0 || offsets[g->groups] != g->gemm.m)
        return fail(err, ERR_INPUT, "offsets run from %lld to %lld, not from 0 to %lld",
                    (long long)offsets[0], (long long)offsets[g->groups], (long long)g->gemm.m);
    for (int64_t i = 0; i < g->groups; i++)
        if (offsets[i] > offsets[i + 1])
            return fail(err, ERR_INPUT, "offset %lld is above the next one", (long long)i);
    return 0;
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
        return x->dim[0] + 1; /* truncation drops the last step, even if it is the only one */
    case OP_CLASS_CONTRACT:
        if (node->op == OP_GROUPED_MATMUL)
            return x->dim[1];
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
