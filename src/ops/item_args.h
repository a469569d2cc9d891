/* SPDX-License-Identifier: MIT */
/* Sizes and strides of one op, which items.h needs besides the data. Plain structs that can be
 * passed to a GPU as they are; CUDA compiles this header, too. */
#ifndef ASSAY_OPS_ITEM_ARGS_H
#define ASSAY_OPS_ITEM_ARGS_H

#include "tensor/portable.h"

#if defined(__CUDACC__) || defined(__HIPCC__)
#define ITEM_FN LAW_FN
/* Marks a loop with a large body: on a GPU, unrolling makes it slow to compile and no faster. */
#define ITEM_ROLLED _Pragma("unroll 1")
#else
#define ITEM_ROLLED
/* Always inlined, so that a constant op code removes the switch over ops. */
#define ITEM_FN static inline __attribute__((always_inline))
#endif

#define ITEM_MAX_RANK 8
/* A reduction over more than ITEM_LANES terms is summed in ITEM_LANES lanes. The lanes are summed
 * in groups (lane l is in group l % ITEM_LANE_GROUPS), and the groups in order. One float sum of
 * 2^26 terms would be 18 % off, and one of 2^16 equal terms about as wrong as tf32 operands. */
#define ITEM_LANES 65536
#define ITEM_LANE_GROUPS 256
#define ITEM_SPACE 3 /* windows always have three axes; missing leading ones are 1 long */

/* How to walk one operand: from a flat index in row-major order of dim to an element offset. A
 * broadcast axis has stride 0, a reversed one a negative stride. */
struct axes {
    int rank;
    int64_t dim[ITEM_MAX_RANK], stride[ITEM_MAX_RANK];
};

ITEM_FN int64_t axes_offset(const struct axes *a, int64_t i)
{
    int64_t offset = 0;

    ITEM_ROLLED
    for (int d = a->rank - 1; d > 0; d--) {
        offset += i % a->dim[d] * a->stride[d];
        i /= a->dim[d];
    }
    return a->rank ? offset + i * a->stride[0] : 0;
}

/* Elementwise ops in one pass. The pass has one value, at first operand 0; each step replaces it by
 * its result. */
#define PASS_MAX_STEPS 8
#define PASS_MAX_IN 8
#define PASS_VALUE (-1)

struct pass_step {
    int op;
    int with;      /* ops of two: number of the other operand in the pass, or PASS_VALUE again */
    int is_second; /* ops of two: the value is the second operand */
};

struct pass_args {
    int n_steps;
    struct pass_step steps[PASS_MAX_STEPS];
    /* Per operand: how it is walked over the result's shape, and its number if it has no address.
     */
    struct axes ax[PASS_MAX_IN];
    double number[PASS_MAX_IN];
};

/* The terms of a sum: `count` terms (without truncated ones), taken from `first` on and wrapping
 * around. */
struct span {
    int64_t count, first;
};

ITEM_FN int64_t span_at(const struct span *s, int64_t nth)
{
    int64_t i = s->first + nth;

    return i < s->count ? i : i - s->count;
}

/* Lanes of a compensated float sum. They add in double, so few are enough: as many as a block of
 * threads on a GPU. */
#define ITEM_WIDE_LANES 256

struct reduce_args {
    struct axes kept, reduced;
    struct span span; /* over the flattened reduced index */
    int compensated;  /* the float sum is as if compensated: in double, rounded once at its end */
};

ITEM_FN int reduce_goes_by_lanes(const struct reduce_args *r)
{
    return r->span.count > ITEM_LANES;
}

/* A line along one axis. With sizes outer, length and inner, element (o, t, i) lies at
 * (o * length + t) * inner + i. */
struct line_args {
    int64_t outer, length, inner;
    int64_t count; /* terms that are used, at most length */
};

/* c[i][j] = sum over k of a[i][k] * b[k][j]; each matrix has a row and a column stride. */
struct gemm {
    int64_t m, n;
    struct span k;
    int64_t a_row, a_col, b_row, b_col, c_row, c_col;
};

struct matmul_args {
    struct gemm gemm; /* c is contiguous */
    int64_t batch;
    struct axes batch_a, batch_b; /* flat batch index -> offset of the matrix */
};

/* Rows offsets[g] .. offsets[g + 1] of x times w[g]: m is all rows, b and c are contiguous. */
struct grouped_args {
    struct gemm gemm;
    int64_t groups;
};

/* The k largest of each line. */
struct topk_args {
    struct line_args line;
    int64_t k;
};

/* A term of a window's sum, (channel, tap), which is advanced without divisions. */
struct term {
    int64_t channel, tap[ITEM_SPACE];
    int64_t flat; /* flat number of the tap */
};

ITEM_FN struct term term_start(const int64_t k[ITEM_SPACE], int64_t at)
{
    int64_t taps = k[0] * k[1] * k[2];
    struct term t = {at / taps, {0, 0, 0}, at % taps};

    t.tap[0] = t.flat / k[2] / k[1];
    t.tap[1] = t.flat / k[2] % k[1];
    t.tap[2] = t.flat % k[2];
    return t;
}

ITEM_FN void term_next(struct term *t, const int64_t k[ITEM_SPACE])
{
    t->flat++;
    if (++t->tap[2] < k[2])
        return;
    t->tap[2] = 0;
    if (++t->tap[1] < k[1])
        return;
    t->tap[1] = 0;
    if (++t->tap[0] < k[0])
        return;
    t->tap[0] = 0;
    t->flat = 0;
    t->channel++;
}

struct conv_args {
    int64_t n, c, o, groups; /* c and o count the channels of all groups */
    int64_t in[ITEM_SPACE], out[ITEM_SPACE], k[ITEM_SPACE];
    int64_t stride[ITEM_SPACE], pad[ITEM_SPACE], dilation[ITEM_SPACE];
    int transposed;
    struct span span; /* over (channel of the group, tap) */
};

struct pool_args {
    int64_t planes;
    int64_t in[ITEM_SPACE], out[ITEM_SPACE], k[ITEM_SPACE];
    int64_t stride[ITEM_SPACE], pad[ITEM_SPACE], dilation[ITEM_SPACE];
    struct span span; /* over the taps */
};

struct pad_args {
    int rank;
    int64_t in[ITEM_MAX_RANK], out[ITEM_MAX_RANK], lo[ITEM_MAX_RANK];
    double value;
};

/* y(outer, i, inner) = x(outer, index[i], inner); length: of the axis of x. */
struct gather_args {
    int64_t outer, length, n_index, inner;
};

struct take_args {
    struct axes index;      /* the output's shape, with x's strides and 0 along the axis */
    int64_t length, stride; /* length and stride of x along the axis */
    int64_t count;
};

/* Keys of a state that are read before any is written: otherwise a GPU would wait for each. */
#define ITEM_DELTA_GROUP 8

/* Element (b, t, h, i) of an operand lies at ((b * steps + t) * heads + h) * width + i. */
struct delta_args {
    int64_t batch, steps, heads, keys, values;
    int64_t used_steps; /* later steps repeat the last output */
    struct span span;   /* over the keys */
};

struct recur_args {
    int64_t steps, batch, hidden;
    int64_t used_steps; /* later steps repeat the last state */
    int gates;          /* gates per unit: 4, 3 or 1 */
    struct span span;   /* over the hidden units */
};

#endif
