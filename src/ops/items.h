/* SPDX-License-Identifier: MIT */
/* One output item of each core op, over REAL: an element, a line, a cell. These functions define
 * the results and, in float, the order of summation. The CPU's faster loops (loops_body.h,
 * gemm_body.h) give the same bits. Included once per REAL, after
 *   enum op_code (problem/op_code.h),
 *   REAL, ITEM(name)         the type and its suffix
 *   ITEM_INTEGER             1 for integers: no functions, no infinities
 *   ITEM_MATH(name)          exp -> expf
 *   ITEM_IN, ITEM_AT(x, i)   an operand and its i-th element, if operands may have other dtypes
 * No libc, no host structs: CUDA compiles it. */
#include "ops/item_args.h"

#ifndef ITEM_IN
#define ITEM_IN const REAL *
#define ITEM_AT(x, i) (x)[i]
#endif

#if ITEM_INTEGER

/* Integers wrap around instead of overflowing. */
ITEM_FN REAL ITEM(times)(REAL a, REAL b)
{
    return (REAL)((uint64_t)a * (uint64_t)b);
}

ITEM_FN REAL ITEM(plus)(REAL a, REAL b)
{
    return (REAL)((uint64_t)a + (uint64_t)b);
}

ITEM_FN REAL ITEM(minus)(REAL a, REAL b)
{
    return (REAL)((uint64_t)a - (uint64_t)b);
}

ITEM_FN REAL ITEM(fused)(REAL acc, REAL a, REAL b)
{
    return ITEM(plus)(acc, ITEM(times)(a, b));
}

ITEM_FN REAL ITEM(power)(REAL a, REAL b)
{
    REAL y = 1;

    if (b < 0)
        return a == 1 || (a == -1 && b % 2 == 0) ? 1 : a == -1 ? -1 : 0;
    for (; b > 0; b >>= 1, a = ITEM(times)(a, a))
        y = b & 1 ? ITEM(times)(y, a) : y;
    return y;
}

ITEM_FN REAL ITEM(unary)(int op, REAL x)
{
    switch (op) {
    case OP_NEG:
        return ITEM(minus)(0, x);
    case OP_ABS:
        return x < 0 ? ITEM(minus)(0, x) : x;
    case OP_NOT:
        return !x;
    default:
        return x;
    }
}

ITEM_FN int ITEM(is_nan)(REAL x)
{
    (void)x;
    return 0;
}

ITEM_FN REAL ITEM(lowest)(void)
{
    return -0x7FFFFFFFFFFFFFFF - 1;
}

ITEM_FN REAL ITEM(highest)(void)
{
    return 0x7FFFFFFFFFFFFFFF;
}

#else

ITEM_FN REAL ITEM(times)(REAL a, REAL b)
{
    return a * b;
}

ITEM_FN REAL ITEM(plus)(REAL a, REAL b)
{
    return a + b;
}

ITEM_FN REAL ITEM(minus)(REAL a, REAL b)
{
    return a - b;
}

/* The step of every product and convolution: acc + a b, rounded once. */
ITEM_FN REAL ITEM(fused)(REAL acc, REAL a, REAL b)
{
    return ITEM_MATH(fma)(a, b, acc);
}

ITEM_FN REAL ITEM(power)(REAL a, REAL b)
{
    return ITEM_MATH(pow)(a, b);
}

ITEM_FN REAL ITEM(unary)(int op, REAL x)
{
    switch (op) {
    case OP_NEG:
        return -x;
    case OP_ABS:
        return ITEM_MATH(fabs)(x);
    case OP_SQRT:
        return ITEM_MATH(sqrt)(x);
    case OP_EXP:
        return ITEM_MATH(exp)(x);
    case OP_EXPM1:
        return ITEM_MATH(expm1)(x);
    case OP_LOG:
        return ITEM_MATH(log)(x);
    case OP_LOG1P:
        return ITEM_MATH(log1p)(x);
    case OP_TANH:
        return ITEM_MATH(tanh)(x);
    case OP_ERF:
        return ITEM_MATH(erf)(x);
    case OP_SIN:
        return ITEM_MATH(sin)(x);
    case OP_COS:
        return ITEM_MATH(cos)(x);
    case OP_FLOOR:
        return ITEM_MATH(floor)(x);
    default:
        return x;
    }
}

ITEM_FN int ITEM(is_nan)(REAL x)
{
    return x != x;
}

ITEM_FN REAL ITEM(lowest)(void)
{
    return (REAL)-f64_of_bits(0x7FF0000000000000u);
}

ITEM_FN REAL ITEM(highest)(void)
{
    return (REAL)f64_of_bits(0x7FF0000000000000u);
}

#endif

/* The larger number; NaN if either is NaN. */
ITEM_FN REAL ITEM(larger)(REAL a, REAL b)
{
    return a > b || ITEM(is_nan)(a) ? a : b;
}

ITEM_FN REAL ITEM(smaller)(REAL a, REAL b)
{
    return a < b || ITEM(is_nan)(a) ? a : b;
}

ITEM_FN REAL ITEM(binary)(int op, REAL a, REAL b)
{
    switch (op) {
    case OP_ADD:
        return ITEM(plus)(a, b);
    case OP_SUB:
        return ITEM(minus)(a, b);
    case OP_MUL:
        return ITEM(times)(a, b);
#if !ITEM_INTEGER
    case OP_DIV:
        return a / b;
#endif
    case OP_POW:
        return ITEM(power)(a, b);
    case OP_MINIMUM:
        return ITEM(smaller)(a, b);
    case OP_MAXIMUM:
        return ITEM(larger)(a, b);
    case OP_AND:
        return a != 0 && b != 0;
    default: /* OP_OR */
        return a != 0 || b != 0;
    }
}

ITEM_FN int ITEM(compare)(int op, REAL a, REAL b)
{
    switch (op) {
    case OP_LT:
        return a < b;
    case OP_LE:
        return a <= b;
    case OP_GT:
        return a > b;
    case OP_GE:
        return a >= b;
    case OP_EQ:
        return a == b;
    default: /* OP_NE */
        return a != b;
    }
}

ITEM_FN REAL ITEM(neutral)(int op)
{
    switch (op) {
    case OP_PROD:
    case OP_CUMPROD:
        return 1;
    case OP_MAX:
        return ITEM(lowest)();
    case OP_MIN:
        return ITEM(highest)();
    default: /* OP_SUM, OP_CUMSUM */
        return 0;
    }
}

ITEM_FN REAL ITEM(combine)(int op, REAL acc, REAL x)
{
    switch (op) {
    case OP_PROD:
    case OP_CUMPROD:
        return ITEM(times)(acc, x);
    case OP_MAX:
        return ITEM(larger)(x, acc);
    case OP_MIN:
        return ITEM(smaller)(x, acc);
    default: /* OP_SUM, OP_CUMSUM */
        return ITEM(plus)(acc, x);
    }
}

/* Output element i of a reduction that does not go by lanes (reduce_goes_by_lanes). */
ITEM_FN REAL ITEM(reduce)(int op, const struct reduce_args *r, ITEM_IN x, int64_t i)
{
    int64_t start = axes_offset(&r->kept, i);
    REAL acc = ITEM(neutral)(op);

    ITEM_ROLLED
    for (int64_t t = 0; t < r->span.count; t++) {
        int64_t at = axes_offset(&r->reduced, span_at(&r->span, t));

        acc = ITEM(combine)(op, acc, ITEM_AT(x, start + at));
    }
    return acc;
}

/* Lane `lane` of output element i of a reduction that goes by lanes (reduce_goes_by_lanes). */
ITEM_FN REAL ITEM(reduce_lane)(int op, const struct reduce_args *r, ITEM_IN x, int64_t i,
                               int64_t lane)
{
    int64_t start = axes_offset(&r->kept, i);
    REAL acc = ITEM(neutral)(op);

    ITEM_ROLLED
    for (int64_t t = lane; t < r->span.count; t += ITEM_LANES) {
        int64_t at = axes_offset(&r->reduced, span_at(&r->span, t));

        acc = ITEM(combine)(op, acc, ITEM_AT(x, start + at));
    }
    return acc;
}

/* One of the ITEM_WIDE_LANES lanes, in double, of output element i of a compensated float sum. The
 * lanes are added in order, and the sum is rounded once. */
ITEM_FN double ITEM(compensated_lane)(const struct reduce_args *r, ITEM_IN x, int64_t i,
                                      int64_t lane)
{
    int64_t start = axes_offset(&r->kept, i);
    double acc = 0;

    ITEM_ROLLED
    for (int64_t t = lane; t < r->span.count; t += ITEM_WIDE_LANES)
        acc += (double)ITEM_AT(x, start + axes_offset(&r->reduced, span_at(&r->span, t)));
    return acc;
}

/* Whether a comes before b among the largest, whatever their places. NaN comes before numbers. */
ITEM_FN int ITEM(is_larger)(REAL a, REAL b)
{
    return a > b || (ITEM(is_nan)(a) && !ITEM(is_nan)(b));
}

/* The places of the k largest of line i, the largest first, equal ones by place. y always holds the
 * best so far, in order: few elements of a long line enter it. */
ITEM_FN void ITEM(topk)(const struct topk_args *a, ITEM_IN x, int64_t *y, int64_t i)
{
    int64_t inner = a->line.inner, n = 0;
    int64_t start = i / inner * a->line.length * inner + i % inner;

    y += i / inner * a->k * inner + i % inner;
    ITEM_ROLLED
    for (int64_t t = 0; t < a->line.count; t++) {
        REAL v = ITEM_AT(x, start + t * inner);
        int64_t at = n;

        while (at > 0 && ITEM(is_larger)(v, ITEM_AT(x, start + y[(at - 1) * inner] * inner))) {
            if (at < a->k)
                y[at * inner] = y[(at - 1) * inner];
            at--;
        }
        if (at < a->k)
            y[at * inner] = t;
        n += n < a->k;
    }
}

/* The place of the extremum of line i (outer, inner): the lowest such place; NaN beats numbers. */
ITEM_FN int64_t ITEM(arg)(int op, const struct line_args *l, ITEM_IN x, int64_t i)
{
    int64_t start = i / l->inner * l->length * l->inner + i % l->inner, best = 0;
    REAL b = ITEM_AT(x, start);

    ITEM_ROLLED
    for (int64_t t = 1; t < l->count; t++) {
        REAL v = ITEM_AT(x, start + t * l->inner);

        if ((op == OP_ARGMAX ? v > b : v < b) || (ITEM(is_nan)(v) && !ITEM(is_nan)(b))) {
            best = t;
            b = v;
        }
    }
    return best;
}

/* Line i of a scan. Terms beyond count repeat the last sum. */
ITEM_FN void ITEM(scan)(int op, const struct line_args *l, ITEM_IN x, REAL *y, int64_t i)
{
    int64_t start = i / l->inner * l->length * l->inner + i % l->inner;
    REAL acc = ITEM(neutral)(op);

    ITEM_ROLLED
    for (int64_t t = 0; t < l->length; t++) {
        if (t < l->count)
            acc = ITEM(combine)(op, acc, ITEM_AT(x, start + t * l->inner));
        y[start + t * l->inner] = acc;
    }
}

/* The result of fused steps that began with 0. A negative term too small for REAL leaves -0, which
 * becomes 0 if a zero is added after it (a rim, the end of a tile). Adding 0 makes it 0 always. */
ITEM_FN REAL ITEM(fused_end)(REAL acc)
{
    return ITEM(plus)(acc, 0);
}

/* Element (i, j) of a product; a and b point at their matrices. */
ITEM_FN REAL ITEM(dot)(const struct gemm *g, const REAL *a, const REAL *b, int64_t i, int64_t j)
{
    REAL acc = 0;

    a += i * g->a_row;
    b += j * g->b_col;
    ITEM_ROLLED
    for (int64_t t = 0; t < g->k.count; t++) {
        int64_t k = span_at(&g->k, t);

        acc = ITEM(fused)(acc, a[k * g->a_col], b[k * g->b_row]);
    }
    return ITEM(fused_end)(acc);
}

ITEM_FN REAL ITEM(matmul)(const struct matmul_args *m, const REAL *a, const REAL *b, int64_t i)
{
    int64_t j = i % m->gemm.n, row = i / m->gemm.n % m->gemm.m;
    int64_t batch = i / m->gemm.n / m->gemm.m;

    return ITEM(dot)(&m->gemm, a + axes_offset(&m->batch_a, batch),
                     b + axes_offset(&m->batch_b, batch), row, j);
}

/* The coordinate of x that tap k of output place o reads along axis d; negative outside x. */
ITEM_FN int64_t ITEM(conv_at)(const struct conv_args *c, int d, int64_t o, int64_t k)
{
    int64_t at;

    if (c->transposed) {
        at = o + c->pad[d] - k * c->dilation[d];
        if (at < 0 || at % c->stride[d] != 0)
            return -1;
        at /= c->stride[d];
    } else {
        at = o * c->stride[d] - c->pad[d] + k * c->dilation[d];
    }
    return at < c->in[d] ? at : -1;
}

/* Output element i (n, o, space) of a convolution or a transposed one; bias may be NULL. */
ITEM_FN REAL ITEM(conv)(const struct conv_args *c, ITEM_IN x, const REAL *w, const REAL *bias,
                        int64_t i)
{
    int64_t place[ITEM_SPACE], cg = c->c / c->groups, og = c->o / c->groups;
    int64_t taps = c->k[0] * c->k[1] * c->k[2], plane = c->in[0] * c->in[1] * c->in[2];
    struct term k = term_start(c->k, c->span.first);
    REAL acc = 0;

    for (int d = ITEM_SPACE - 1; d >= 0; d--) {
        place[d] = i % c->out[d];
        i /= c->out[d];
    }

    int64_t o = i % c->o, group = o / og, first = (i / c->o * c->c + group * cg) * plane;
    /* Weights are (o, channel, taps), or (channel, o, taps) if transposed. */
    int64_t w_channel = c->transposed ? og * taps : taps;

    w += c->transposed ? (group * cg * og + o % og) * taps : o * cg * taps;
    ITEM_ROLLED
    for (int64_t t = c->span.first, left = c->span.count; left > 0; left--) {
        int64_t z = ITEM(conv_at)(c, 0, place[0], k.tap[0]);
        int64_t y = ITEM(conv_at)(c, 1, place[1], k.tap[1]);
        int64_t v = ITEM(conv_at)(c, 2, place[2], k.tap[2]);

        if (z >= 0 && y >= 0 && v >= 0) {
            int64_t at = first + k.channel * plane + (z * c->in[1] + y) * c->in[2] + v;

            acc = ITEM(fused)(acc, ITEM_AT(x, at), w[k.channel * w_channel + k.flat]);
        }
        if (++t == c->span.count) {
            t = 0;
            k = term_start(c->k, 0);
        } else {
            term_next(&k, c->k);
        }
    }
    acc = ITEM(fused_end)(acc);
    return bias ? ITEM(plus)(acc, bias[o]) : acc;
}

/* Output element i (plane, space) of a pooling window: OP_MAX or OP_SUM over the taps inside the
 * input. */
ITEM_FN REAL ITEM(pool)(int op, const struct pool_args *p, ITEM_IN x, int64_t i)
{
    int64_t from[ITEM_SPACE], at[ITEM_SPACE];
    struct term k = term_start(p->k, p->span.first);
    REAL acc = ITEM(neutral)(op);

    for (int d = ITEM_SPACE - 1; d >= 0; d--) {
        from[d] = i % p->out[d] * p->stride[d] - p->pad[d];
        i /= p->out[d];
    }
    i *= p->in[0];
    ITEM_ROLLED
    for (int64_t t = p->span.first, left = p->span.count; left > 0; left--) {
        for (int d = 0; d < ITEM_SPACE; d++)
            at[d] = from[d] + k.tap[d] * p->dilation[d];
        if (at[0] >= 0 && at[0] < p->in[0] && at[1] >= 0 && at[1] < p->in[1] && at[2] >= 0 &&
            at[2] < p->in[2])
            acc = ITEM(combine)(op, acc,
                                ITEM_AT(x, ((i + at[0]) * p->in[1] + at[1]) * p->in[2] + at[2]));
        if (++t == p->span.count) {
            t = 0;
            k = term_start(p->k, 0);
        } else {
            term_next(&k, p->k);
        }
    }
    return acc;
}

ITEM_FN REAL ITEM(pad)(const struct pad_args *p, ITEM_IN x, int64_t i)
{
    int64_t offset = 0, stride = 1;

    ITEM_ROLLED
    for (int d = p->rank - 1; d >= 0; d--) {
        int64_t at = i % p->out[d] - p->lo[d];

        if (at < 0 || at >= p->in[d])
            return (REAL)p->value;
        offset += at * stride;
        stride *= p->in[d];
        i /= p->out[d];
    }
    return ITEM_AT(x, offset);
}

ITEM_FN REAL ITEM(gather)(const struct gather_args *g, ITEM_IN x, const int64_t *index, int64_t i)
{
    int64_t inner = i % g->inner, at = i / g->inner % g->n_index;

    return ITEM_AT(x, (i / g->inner / g->n_index * g->length + index[at]) * g->inner + inner);
}

ITEM_FN REAL ITEM(take)(const struct take_args *t, ITEM_IN x, const int64_t *index, int64_t i)
{
    return ITEM_AT(x, axes_offset(&t->index, i) + index[i] * t->stride);
}

#if !ITEM_INTEGER

/* Applies the decay to n keys of a column's state, whose numbers lie `stride` apart. Returns known
 * plus these keys' part of S^T k. */
ITEM_FN REAL ITEM(delta_recall)(int n, const REAL *k, const REAL *decay, REAL *state,
                                int64_t stride, REAL known)
{
    REAL faded[ITEM_DELTA_GROUP], key[ITEM_DELTA_GROUP];

    for (int i = 0; i < n; i++) {
        faded[i] = state[i * stride] * decay[i];
        key[i] = k[i];
    }
    for (int i = 0; i < n; i++) {
        state[i * stride] = faded[i];
        known += faded[i] * key[i];
    }
    return known;
}

/* Adds k times the change to n keys of a column's state. Returns out plus these keys' part of
 * S^T q. */
ITEM_FN REAL ITEM(delta_answer)(int n, const REAL *q, const REAL *k, REAL change, REAL *state,
                                int64_t stride, REAL out)
{
    REAL learnt[ITEM_DELTA_GROUP], query[ITEM_DELTA_GROUP];

    for (int i = 0; i < n; i++) {
        learnt[i] = state[i * stride] + k[i] * change;
        query[i] = q[i];
    }
    for (int i = 0; i < n; i++) {
        state[i * stride] = learnt[i];
        out += learnt[i] * query[i];
    }
    return out;
}

/* delta_recall() for keys from..to, in order. */
ITEM_FN REAL ITEM(delta_recall_all)(int64_t from, int64_t to, const REAL *k, const REAL *decay,
                                    REAL *state, int64_t stride, REAL known)
{
    int64_t d = from;

    ITEM_ROLLED
    for (; d + ITEM_DELTA_GROUP <= to; d += ITEM_DELTA_GROUP)
        known = ITEM(delta_recall)(ITEM_DELTA_GROUP, k + d, decay + d, state + d * stride, stride,
                                   known);
    ITEM_ROLLED
    for (; d < to; d++)
        known = ITEM(delta_recall)(1, k + d, decay + d, state + d * stride, stride, known);
    return known;
}

ITEM_FN REAL ITEM(delta_answer_all)(int64_t from, int64_t to, const REAL *q, const REAL *k,
                                    REAL change, REAL *state, int64_t stride, REAL out)
{
    int64_t d = from;

    ITEM_ROLLED
    for (; d + ITEM_DELTA_GROUP <= to; d += ITEM_DELTA_GROUP)
        out = ITEM(delta_answer)(ITEM_DELTA_GROUP, q + d, k + d, change, state + d * stride, stride,
                                 out);
    ITEM_ROLLED
    for (; d < to; d++)
        out = ITEM(delta_answer)(1, q + d, k + d, change, state + d * stride, stride, out);
    return out;
}

/* One step of a column of the delta rule, over a span of keys that may wrap around. */
ITEM_FN REAL ITEM(delta_step)(const struct span *s, const REAL *q, const REAL *k, const REAL *decay,
                              REAL v, REAL beta, REAL *state, int64_t stride)
{
    REAL known = ITEM(delta_recall_all)(s->first, s->count, k, decay, state, stride, 0);
    REAL change, out;

    known = ITEM(delta_recall_all)(0, s->first, k, decay, state, stride, known);
    change = beta * (v - known);
    out = ITEM(delta_answer_all)(s->first, s->count, q, k, change, state, stride, 0);
    return ITEM(delta_answer_all)(0, s->first, q, k, change, state, stride, out);
}

/* Column i (batch, head, value) of the delta rule over all steps. state: room for `keys` numbers.
 */
ITEM_FN void ITEM(delta_rule)(const struct delta_args *a, const REAL *q, const REAL *k,
                              const REAL *v, const REAL *decay, const REAL *beta, REAL *state,
                              REAL *y, int64_t i)
{
    int64_t value = i % a->values, head = i / a->values % a->heads;
    int64_t first = i / a->values / a->heads * a->steps;
    REAL out = 0;

    for (int64_t d = 0; d < a->keys; d++)
        state[d] = 0;
    for (int64_t t = 0; t < a->steps; t++) {
        int64_t at = (first + t) * a->heads + head, key = at * a->keys;

        if (t < a->used_steps)
            out = ITEM(delta_step)(&a->span, q + key, k + key, decay + key,
                                   v[at * a->values + value], beta[at], state, 1);
        y[at * a->values + value] = out;
    }
}

ITEM_FN REAL ITEM(sigmoid)(REAL x)
{
    return 1 / (1 + ITEM_MATH(exp)(-x));
}

/* One unit of a cell; returns its new h. Its gates lie `hidden` apart in gx (from x), gh (w_hh h,
 * without bias) and bias. h and c are the unit's old state; only OP_LSTM uses c and ret_c. */
ITEM_FN REAL ITEM(cell)(int op, int64_t hidden, const REAL *gx, const REAL *gh, const REAL *bias,
                        REAL h, REAL c, REAL *ret_c)
{
    REAL a = gx[0] + (gh[0] + bias[0]);

    if (op == OP_RNN)
        return ITEM_MATH(tanh)(a);

    REAL b = gx[hidden] + (gh[hidden] + bias[hidden]);
    REAL hn = gh[2 * hidden] + bias[2 * hidden];

    if (op == OP_GRU) {
        REAL z = ITEM(sigmoid)(b);
        REAL n = ITEM_MATH(tanh)(gx[2 * hidden] + ITEM(sigmoid)(a) * hn);

        return (1 - z) * n + z * h;
    }

    REAL o = gx[3 * hidden] + (gh[3 * hidden] + bias[3 * hidden]);

    *ret_c = ITEM(sigmoid)(b) * c + ITEM(sigmoid)(a) * ITEM_MATH(tanh)(gx[2 * hidden] + hn);
    return ITEM(sigmoid)(o) * ITEM_MATH(tanh)(*ret_c);
}

#endif
