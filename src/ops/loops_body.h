/* SPDX-License-Identifier: MIT */
/* The loops of loops.h over REAL, except for contractions (contract_body.h). items.h defines each
 * element; the loops here walk in an order that keeps memory streaming. A constant op in a call of
 * an always-inlined function makes one tight loop per op. */
#include "ops/items.h"

#include "base/util.h"
#include "ops/loops.h"
#include "ops/threads.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 16384  /* elements that a thread takes at a time */
#define ROWS 8       /* outputs summed side by side, to hide the latency of additions */
#define COLUMNS 256  /* sums held at a time if the last axis is not reduced */
#define TRANSPOSE 32 /* edge of a transposed block */
#define EXPENSIVE 20 /* cost of a function such as exp, in additions */

#define PARALLEL_FOR(operations) \
    _Pragma(STRINGIFY(omp parallel for num_threads(threads_for(operations)) schedule(static)))
#define STRINGIFY(...) #__VA_ARGS__
/* Vectorises a loop in which y may be an operand: element i depends only on element i. */
#ifdef __clang__
#define SIMD
#else
#define SIMD _Pragma("GCC ivdep")
#endif

static int64_t chunks(int64_t n)
{
    return (n + CHUNK - 1) / CHUNK;
}

static void fill(void *y, int64_t n, double value)
{
    REAL *to = y;

    PARALLEL_FOR((double)n)
    for (int64_t i = 0; i < n; i++)
        to[i] = (REAL)value;
}

static void iota(const struct line_args *l, void *y)
{
    REAL *to = y;

    PARALLEL_FOR((double)(l->outer * l->length * l->inner))
    for (int64_t row = 0; row < l->outer * l->length; row++)
        for (int64_t i = 0; i < l->inner; i++)
            to[row * l->inner + i] = (REAL)(row % l->length);
}

/* --- elementwise --- */

#define UNARY_CASE(op)                                                     \
    case op:                                                               \
        SIMD for (int64_t i = 0; i < n; i++) y[i] = ITEM(unary)(op, x[i]); \
        break;

static void unary_run(enum op_code op, const REAL *x, REAL *y, int64_t n)
{
    switch (op) {
        UNARY_CASE(OP_NEG)
        UNARY_CASE(OP_ABS)
#if ITEM_INTEGER
        UNARY_CASE(OP_NOT)
#else
        UNARY_CASE(OP_SQRT)
        UNARY_CASE(OP_EXP)
        UNARY_CASE(OP_EXPM1)
        UNARY_CASE(OP_LOG)
        UNARY_CASE(OP_LOG1P)
        UNARY_CASE(OP_TANH)
        UNARY_CASE(OP_ERF)
        UNARY_CASE(OP_SIN)
        UNARY_CASE(OP_COS)
        UNARY_CASE(OP_FLOOR)
#endif
    default:
        assert(!"an op that graph_add refuses for this dtype");
    }
}

static void unary(enum op_code op, const void *x, void *y, int64_t n)
{
    double cost = op == OP_NEG || op == OP_ABS || op == OP_NOT ? 1 : EXPENSIVE;

    PARALLEL_FOR((double)n * cost)
    for (int64_t c = 0; c < chunks(n); c++)
        unary_run(op, (const REAL *)x + c * CHUNK, (REAL *)y + c * CHUNK,
                  MIN(CHUNK, n - c * CHUNK));
}

/* One run of a broadcast op: each operand has stride 1 or 0 (the same element for all). */
#define BINARY_CASE(op, item)                                                 \
    case op:                                                                  \
        if (sa && sb) {                                                       \
            SIMD for (int64_t i = 0; i < n; i++) y[i] = item(op, a[i], b[i]); \
        } else if (sa) {                                                      \
            SIMD for (int64_t i = 0; i < n; i++) y[i] = item(op, a[i], b0);   \
        } else if (sb) {                                                      \
            SIMD for (int64_t i = 0; i < n; i++) y[i] = item(op, a0, b[i]);   \
        } else {                                                              \
            for (int64_t i = 0; i < n; i++)                                   \
                y[i] = item(op, a0, b0);                                      \
        }                                                                     \
        break;

static void binary_run(enum op_code op, const REAL *a, int64_t sa, const REAL *b, int64_t sb,
                       REAL *y, int64_t n)
{
    REAL a0 = a[0], b0 = b[0];

    switch (op) {
        BINARY_CASE(OP_ADD, ITEM(binary))
        BINARY_CASE(OP_SUB, ITEM(binary))
        BINARY_CASE(OP_MUL, ITEM(binary))
        BINARY_CASE(OP_POW, ITEM(binary))
        BINARY_CASE(OP_MINIMUM, ITEM(binary))
        BINARY_CASE(OP_MAXIMUM, ITEM(binary))
#if ITEM_INTEGER
        BINARY_CASE(OP_AND, ITEM(binary))
        BINARY_CASE(OP_OR, ITEM(binary))
#else
        BINARY_CASE(OP_DIV, ITEM(binary))
#endif
    default:
        assert(!"an op that graph_add refuses for this dtype");
    }
}

static void compare_run(enum op_code op, const REAL *a, int64_t sa, const REAL *b, int64_t sb,
                        int64_t *y, int64_t n)
{
    REAL a0 = a[0], b0 = b[0];

    switch (op) {
        BINARY_CASE(OP_LT, ITEM(compare))
        BINARY_CASE(OP_LE, ITEM(compare))
        BINARY_CASE(OP_GT, ITEM(compare))
        BINARY_CASE(OP_GE, ITEM(compare))
        BINARY_CASE(OP_EQ, ITEM(compare))
        BINARY_CASE(OP_NE, ITEM(compare))
    default:
        assert(!"not a comparison");
    }
}

static void binary(enum op_code op, const struct axes *ax, const void *a, const void *b, void *y)
{
    int64_t n = axes_count(ax), sa = ax[0].stride[ax->rank - 1], sb = ax[1].stride[ax->rank - 1];

    PARALLEL_FOR((double)n * (op == OP_POW ? EXPENSIVE : 1))
    for (int64_t c = 0; c < chunks(n); c++) {
        struct walk w;

        for (walk_start(&w, ax, 2, c * CHUNK, MIN(n, (c + 1) * CHUNK)); w.len; walk_next(&w))
            binary_run(op, (const REAL *)a + w.offset[0], sa, (const REAL *)b + w.offset[1], sb,
                       (REAL *)y + w.at, w.len);
    }
}

static void compare(enum op_code op, const struct axes *ax, const void *a, const void *b,
                    int64_t *y)
{
    int64_t n = axes_count(ax), sa = ax[0].stride[ax->rank - 1], sb = ax[1].stride[ax->rank - 1];

    PARALLEL_FOR((double)n)
    for (int64_t c = 0; c < chunks(n); c++) {
        struct walk w;

        for (walk_start(&w, ax, 2, c * CHUNK, MIN(n, (c + 1) * CHUNK)); w.len; walk_next(&w))
            compare_run(op, (const REAL *)a + w.offset[0], sa, (const REAL *)b + w.offset[1], sb,
                        y + w.at, w.len);
    }
}

static void where(const struct axes *ax, const int64_t *cond, const void *a, const void *b, void *y)
{
    int64_t n = axes_count(ax), last = ax->rank - 1;
    int64_t sc = ax[0].stride[last], sa = ax[1].stride[last], sb = ax[2].stride[last];

    PARALLEL_FOR((double)n)
    for (int64_t c = 0; c < chunks(n); c++) {
        struct walk w;

        for (walk_start(&w, ax, 3, c * CHUNK, MIN(n, (c + 1) * CHUNK)); w.len; walk_next(&w)) {
            const int64_t *pc = cond + w.offset[0];
            const REAL *pa = (const REAL *)a + w.offset[1], *pb = (const REAL *)b + w.offset[2];
            REAL *to = (REAL *)y + w.at;

            SIMD for (int64_t i = 0; i < w.len; i++) to[i] = pc[i * sc] ? pa[i * sa] : pb[i * sb];
        }
    }
}

/* --- reductions --- */

/* Computes `rows` outputs from i on, each in the order of the span. */
ITEM_FN void reduce_rows(int op, const struct reduce_args *r, const REAL *x, REAL *y, int64_t i,
                         int rows)
{
    int64_t stride = r->reduced.stride[r->reduced.rank - 1];
    int64_t ends[2][2] = {{r->span.first, r->span.count}, {0, r->span.first}};
    const REAL *base[ROWS];
    REAL acc[ROWS];
    struct walk w;

    for (int k = 0; k < rows; k++) {
        base[k] = x + axes_offset(&r->kept, i + k);
        acc[k] = ITEM(neutral)(op);
    }
    for (int part = 0; part < 2; part++) {
        walk_start(&w, &r->reduced, 1, ends[part][0], ends[part][1]);
        for (; w.len; walk_next(&w))
            for (int64_t t = 0; t < w.len; t++)
                for (int k = 0; k < rows; k++)
                    acc[k] = ITEM(combine)(op, acc[k], base[k][w.offset[0] + t * stride]);
    }
    for (int k = 0; k < rows; k++)
        y[i + k] = acc[k];
}

/* Computes up to COLUMNS neighbouring outputs from i on, whose terms are neighbours, too. */
ITEM_FN void reduce_columns(int op, const struct reduce_args *r, const REAL *x, REAL *y, int64_t i,
                            int64_t columns)
{
    int64_t stride = r->reduced.stride[r->reduced.rank - 1];
    int64_t ends[2][2] = {{r->span.first, r->span.count}, {0, r->span.first}};
    REAL acc[COLUMNS];
    struct walk w;

    x += axes_offset(&r->kept, i);
    for (int64_t j = 0; j < columns; j++)
        acc[j] = ITEM(neutral)(op);
    for (int part = 0; part < 2; part++) {
        walk_start(&w, &r->reduced, 1, ends[part][0], ends[part][1]);
        for (; w.len; walk_next(&w)) {
            for (int64_t t = 0; t < w.len; t++) {
                const REAL *line = x + w.offset[0] + t * stride;

                SIMD for (int64_t j = 0; j < columns; j++) acc[j] =
                    ITEM(combine)(op, acc[j], line[j]);
            }
        }
    }
    memcpy(y + i, acc, (size_t)columns * sizeof(REAL));
}

/* Combines terms at..at+n of an output, whose terms begin at x, into the lanes, one into each. */
ITEM_FN void lane_run(int op, const struct reduce_args *r, const REAL *x, int64_t at, int64_t n,
                      REAL *lanes)
{
    int64_t stride = r->reduced.stride[r->reduced.rank - 1];
    struct walk w;

    for (walk_start(&w, &r->reduced, 1, at, at + n); w.len; walk_next(&w)) {
        const REAL *from = x + w.offset[0];
        REAL *acc = lanes + (w.at - at);

        if (stride == 1) {
            SIMD for (int64_t l = 0; l < w.len; l++) acc[l] = ITEM(combine)(op, acc[l], from[l]);
        } else {
            for (int64_t l = 0; l < w.len; l++)
                acc[l] = ITEM(combine)(op, acc[l], from[l * stride]);
        }
    }
}

/* Computes lanes from..to of the output whose terms begin at x. */
ITEM_FN void reduce_lanes(int op, const struct reduce_args *r, const REAL *x, REAL *lanes,
                          int64_t from, int64_t to)
{
    const struct span *s = &r->span;

    for (int64_t l = from; l < to; l++)
        lanes[l] = ITEM(neutral)(op);
    for (int64_t t = from; t < s->count; t += ITEM_LANES) {
        int64_t n = MIN(to - from, s->count - t), at = span_at(s, t);
        int64_t unwrapped = MIN(n, s->count - at);

        lane_run(op, r, x, at, unwrapped, lanes + from);
        lane_run(op, r, x, 0, n - unwrapped, lanes + from + unwrapped);
    }
}

ITEM_FN REAL combine_lanes(int op, const REAL *lanes)
{
    REAL groups[ITEM_LANE_GROUPS], acc = ITEM(neutral)(op);

    for (int g = 0; g < ITEM_LANE_GROUPS; g++)
        groups[g] = acc;
    for (int64_t l = 0; l < ITEM_LANES; l += ITEM_LANE_GROUPS) {
        SIMD for (int g = 0; g < ITEM_LANE_GROUPS; g++) groups[g] =
            ITEM(combine)(op, groups[g], lanes[l + g]);
    }
    for (int g = 0; g < ITEM_LANE_GROUPS; g++)
        acc = ITEM(combine)(op, acc, groups[g]);
    return acc;
}

enum reduce_how { BY_ROWS, BY_COLUMNS, BY_LANES };

static enum reduce_how reduce_choose(const struct reduce_args *r)
{
    const struct axes *kept = &r->kept, *reduced = &r->reduced;
    int last = kept->rank - 1;

    if (reduce_goes_by_lanes(r))
        return BY_LANES;
    if (kept->stride[last] == 1 && kept->dim[last] >= ROWS &&
        reduced->stride[reduced->rank - 1] != 1)
        return BY_COLUMNS;
    return BY_ROWS;
}

ITEM_FN void reduce_by_rows(int op, const struct reduce_args *r, const REAL *x, REAL *y)
{
    int64_t n = axes_count(&r->kept), blocks = n / ROWS;

    PARALLEL_FOR((double)n * (double)r->span.count)
    for (int64_t b = 0; b < blocks + n % ROWS; b++) {
        if (b < blocks)
            reduce_rows(op, r, x, y, b * ROWS, ROWS);
        else
            reduce_rows(op, r, x, y, blocks * ROWS + (b - blocks), 1);
    }
}

ITEM_FN void reduce_by_columns(int op, const struct reduce_args *r, const REAL *x, REAL *y)
{
    int64_t n = axes_count(&r->kept), width = r->kept.dim[r->kept.rank - 1];
    int64_t pieces = (width + COLUMNS - 1) / COLUMNS;

    PARALLEL_FOR((double)n * (double)r->span.count)
    for (int64_t b = 0; b < n / width * pieces; b++) {
        int64_t from = b % pieces * COLUMNS;

        reduce_columns(op, r, x, y, b / pieces * width + from, MIN(COLUMNS, width - from));
    }
}

/* Threads share the outputs if there are enough of them, else the lanes of one output. */
ITEM_FN int reduce_by_lanes(int op, const struct reduce_args *r, const REAL *x, REAL *y,
                            struct err *err)
{
    enum { STEP = 4096 };
    int64_t n = axes_count(&r->kept);
    int threads = threads_for((double)r->span.count * (double)n);
    bool share_outputs = n >= threads;
    AUTO(freep)
    REAL *room =
        loops_scratch(ITEM_LANES * sizeof(REAL) * (size_t)(share_outputs ? threads : 1), err);

    if (!room)
        return -1;
#pragma omp parallel for num_threads(threads) schedule(static) if (share_outputs)
    for (int64_t i = 0; i < n; i++) {
        const REAL *from = x + axes_offset(&r->kept, i);
        REAL *lanes = room + (share_outputs ? omp_get_thread_num() : 0) * ITEM_LANES;

#pragma omp parallel for num_threads(threads) schedule(static) if (!share_outputs)
        for (int64_t l = 0; l < ITEM_LANES; l += STEP)
            reduce_lanes(op, r, from, lanes, l, l + STEP);
        y[i] = combine_lanes(op, lanes);
    }
    return 0;
}

ITEM_FN int reduce_op(int op, const struct reduce_args *r, const void *x, void *y, struct err *err)
{
    switch (reduce_choose(r)) {
    case BY_LANES:
        return reduce_by_lanes(op, r, x, y, err);
    case BY_COLUMNS:
        reduce_by_columns(op, r, x, y);
        return 0;
    default:
        reduce_by_rows(op, r, x, y);
        return 0;
    }
}

static REAL sum_compensated(const struct reduce_args *r, const REAL *x, int64_t i)
{
    double acc = 0;

    for (int64_t lane = 0; lane < ITEM_WIDE_LANES; lane++)
        acc += ITEM(compensated_lane)(r, x, i, lane);
    return (REAL)acc;
}

static void reduce_compensated(const struct reduce_args *r, const REAL *x, REAL *y)
{
    int64_t n = axes_count(&r->kept);

    PARALLEL_FOR((double)n * (double)r->span.count)
    for (int64_t i = 0; i < n; i++)
        y[i] = sum_compensated(r, x, i);
}

static int reduce(enum op_code op, const struct reduce_args *r, const void *x, void *y,
                  struct err *err)
{
    if (r->compensated) {
        reduce_compensated(r, x, y);
        return 0;
    }
    switch (op) {
    case OP_SUM:
        return reduce_op(OP_SUM, r, x, y, err);
    case OP_PROD:
        return reduce_op(OP_PROD, r, x, y, err);
    case OP_MAX:
        return reduce_op(OP_MAX, r, x, y, err);
    default:
        return reduce_op(OP_MIN, r, x, y, err);
    }
}

static void arg(enum op_code op, const struct line_args *l, const void *x, int64_t *y)
{
    PARALLEL_FOR((double)(l->outer * l->inner) * (double)l->count)
    for (int64_t i = 0; i < l->outer * l->inner; i++)
        y[i] = op == OP_ARGMAX ? ITEM(arg)(OP_ARGMAX, l, x, i) : ITEM(arg)(OP_ARGMIN, l, x, i);
}

static void topk(const struct topk_args *a, const void *x, int64_t *y)
{
    PARALLEL_FOR((double)(a->line.outer * a->line.inner) * (double)a->line.count)
    for (int64_t i = 0; i < a->line.outer * a->line.inner; i++)
        ITEM(topk)(a, x, y, i);
}

/* Lines that lie side by side advance together, so that whole cache lines are used. */
ITEM_FN void scan_columns(int op, const struct line_args *l, const REAL *x, REAL *y, int64_t start,
                          int64_t columns)
{
    REAL acc[COLUMNS];

    for (int64_t j = 0; j < columns; j++)
        acc[j] = ITEM(neutral)(op);
    for (int64_t t = 0; t < l->length; t++) {
        const REAL *from = x + start + t * l->inner;
        REAL *to = y + start + t * l->inner;

        if (t < l->count)
            for (int64_t j = 0; j < columns; j++)
                acc[j] = ITEM(combine)(op, acc[j], from[j]);
        memcpy(to, acc, (size_t)columns * sizeof(REAL));
    }
}

ITEM_FN void scan_op(int op, const struct line_args *l, const REAL *x, REAL *y)
{
    int64_t pieces = (l->inner + COLUMNS - 1) / COLUMNS;
    double operations = (double)(l->outer * l->inner) * (double)l->length;

    if (l->inner == 1) {
        PARALLEL_FOR(operations)
        for (int64_t i = 0; i < l->outer; i++)
            ITEM(scan)(op, l, x, y, i);
        return;
    }
    PARALLEL_FOR(operations)
    for (int64_t b = 0; b < l->outer * pieces; b++) {
        int64_t from = b % pieces * COLUMNS;

        scan_columns(op, l, x, y, b / pieces * l->length * l->inner + from,
                     MIN(COLUMNS, l->inner - from));
    }
}

static void scan(enum op_code op, const struct line_args *l, const void *x, void *y)
{
    if (op == OP_CUMSUM)
        scan_op(OP_CUMSUM, l, x, y);
    else
        scan_op(OP_CUMPROD, l, x, y);
}

/* --- movement --- */

static void copy_run(const REAL *x, int64_t stride, REAL *y, int64_t n)
{
    if (stride == 1) {
        memcpy(y, x, (size_t)n * sizeof(REAL));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i * stride];
}

/* The axis that is contiguous in x while the last axis is not: reading along the last axis alone
 * would use one element of each cache line. -1: no such axis, or it is too short. */
static int transposed_axis(const struct axes *ax)
{
    int last = ax->rank - 1;

    if (ax->stride[last] == 1 || ax->stride[last] == 0 || ax->dim[last] < ROWS)
        return -1;
    for (int d = 0; d < last; d++) {
        if (ax->stride[d] == 1 && ax->dim[d] >= ROWS)
            return d;
    }
    return -1;
}

static void transpose_block(const REAL *x, int64_t x_row, REAL *y, int64_t y_row, int64_t rows,
                            int64_t cols)
{
    for (int64_t c0 = 0; c0 < cols; c0 += TRANSPOSE)
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = c0; c < MIN(c0 + TRANSPOSE, cols); c++)
                y[r * y_row + c] = x[r + c * x_row];
}

static void move_transposed(const struct axes *ax, int d, const REAL *x, REAL *y)
{
    int last = ax->rank - 1;
    int64_t rows = ax->dim[d], cols = ax->dim[last], y_row = 1;
    int64_t blocks = (rows + TRANSPOSE - 1) / TRANSPOSE, n = axes_count(ax);
    struct axes from = *ax, to = *ax;

    for (int k = last; k >= 0; k--) {
        to.stride[k] = k == last ? 1 : to.stride[k + 1] * ax->dim[k + 1];
        if (k == d)
            y_row = to.stride[k];
    }
    from.dim[d] = to.dim[d] = from.dim[last] = to.dim[last] = 1;
    PARALLEL_FOR((double)n)
    for (int64_t b = 0; b < n / rows / cols * blocks; b++) {
        int64_t r = b % blocks * TRANSPOSE;

        transpose_block(x + axes_offset(&from, b / blocks) + r, ax->stride[last],
                        y + axes_offset(&to, b / blocks) + r * y_row, y_row,
                        MIN(TRANSPOSE, rows - r), cols);
    }
}

static void move(const struct axes *ax, const void *x, void *y)
{
    int64_t n = axes_count(ax), stride = ax->stride[ax->rank - 1];
    int across = transposed_axis(ax);

    if (across >= 0) {
        move_transposed(ax, across, x, y);
        return;
    }
    PARALLEL_FOR((double)n)
    for (int64_t c = 0; c < chunks(n); c++) {
        struct walk w;

        for (walk_start(&w, ax, 1, c * CHUNK, MIN(n, (c + 1) * CHUNK)); w.len; walk_next(&w))
            copy_run((const REAL *)x + w.offset[0], stride, (REAL *)y + w.at, w.len);
    }
}

/* The offset in x of a row of the padded output; -1 when the whole row is padding. */
static int64_t pad_row(const struct pad_args *p, int64_t row)
{
    int64_t offset = 0, stride = p->in[p->rank - 1];

    for (int d = p->rank - 2; d >= 0; d--) {
        int64_t at = row % p->out[d] - p->lo[d];

        if (at < 0 || at >= p->in[d])
            return -1;
        offset += at * stride;
        stride *= p->in[d];
        row /= p->out[d];
    }
    return offset;
}

static void pad(const struct pad_args *p, const void *x, void *y)
{
    int64_t width = p->out[p->rank - 1], rows = 1, lo = p->lo[p->rank - 1], in = p->in[p->rank - 1];

    for (int d = 0; d < p->rank - 1; d++)
        rows *= p->out[d];
    PARALLEL_FOR((double)rows * (double)width)
    for (int64_t row = 0; row < rows; row++) {
        int64_t from = pad_row(p, row);
        REAL *to = (REAL *)y + row * width;

        for (int64_t i = 0; i < (from < 0 ? width : lo); i++)
            to[i] = (REAL)p->value;
        if (from < 0)
            continue;
        memcpy(to + lo, (const REAL *)x + from, (size_t)in * sizeof(REAL));
        for (int64_t i = lo + in; i < width; i++)
            to[i] = (REAL)p->value;
    }
}

static void gather(const struct gather_args *g, const void *x, const int64_t *index, void *y)
{
    int64_t rows = g->outer * g->n_index;

    PARALLEL_FOR((double)rows * (double)g->inner)
    for (int64_t row = 0; row < rows; row++) {
        int64_t from = row / g->n_index * g->length + index[row % g->n_index];

        copy_run((const REAL *)x + from * g->inner, 1, (REAL *)y + row * g->inner, g->inner);
    }
}

static void take(const struct take_args *t, const void *x, const int64_t *index, void *y)
{
    PARALLEL_FOR((double)t->count)
    for (int64_t i = 0; i < t->count; i++)
        ((REAL *)y)[i] = ITEM(take)(t, x, index, i);
}
