/* SPDX-License-Identifier: MIT */
/* One core op over whole tensors, ready to run: eval_node.c makes jobs of nodes, a backend
 * (eval.h) carries them out. Tensors are contiguous; y may be an operand itself only in the
 * elementwise jobs, where the two have the same shape. */
#ifndef ASSAY_OPS_JOB_H
#define ASSAY_OPS_JOB_H

#include "ops/convert.h"
#include "ops/item_args.h"

#define JOB_MAX_IN PASS_MAX_IN

enum job_kind {
    JOB_FILL,
    JOB_IOTA,
    JOB_CONVERT, /* in[0] to the store, rounded, made one of `through`, kept as `to` */
    JOB_UNARY,
    JOB_BINARY,
    JOB_COMPARE, /* y is int64 */
    JOB_WHERE,   /* in[0]: int64 condition */
    JOB_PASS,    /* in place of JOB_UNARY and JOB_BINARY, one or several of them (pass.h) */
    JOB_REDUCE,
    JOB_ARG,  /* y is int64 */
    JOB_TOPK, /* y is int64 */
    JOB_SCAN,
    JOB_MATMUL,
    JOB_GROUPED, /* in[2]: int64 offsets, which nobody has looked at before */
    JOB_CONV,
    JOB_POOL,
    JOB_DELTA, /* in: q, k, v, decay, beta */
    JOB_RECUR, /* in: gates of x, w_hh, b_hh, h0, c0 (or NULL) */
    JOB_MOVE,
    JOB_ROWS, /* a part of a concatenation */
    JOB_PAD,
    JOB_GATHER, /* in[1]: int64 indices, which nobody has looked at before */
    JOB_TAKE,
};

/* Rows of `width` elements; those of y lie y_row apart, x is contiguous. */
struct rows_args {
    int64_t rows, width, y_row;
};

struct convert_args {
    bool passes; /* through `through`; else the store is kept */
    enum dtype through;
    enum store to;
};

struct job {
    enum job_kind kind;
    enum op_code op;
    enum store store;           /* what is computed in; a condition and indices are int64 besides */
    const void *in[JOB_MAX_IN]; /* NULL: not there */
    /* How the elements of in[i] lie: as the store's own type, or as a source came where the backend
     * reads those. */
    enum dtype type[JOB_MAX_IN];
    int64_t in_count[JOB_MAX_IN]; /* elements of in[i] */
    void *y;
    int64_t count; /* elements of y */
    /* Float only. JOB_CONVERT: each value. Contractions: both operands; recurrences: the weights
     * and the state before each product. */
    enum rounding round;
    union {
        double value;      /* JOB_FILL */
        struct axes ax[3]; /* elementwise: walks in[i] over y's shape, axes joined; JOB_MOVE: [0] */
        struct pass_args pass;
        struct line_args line;
        struct convert_args convert;
        struct reduce_args reduce;
        struct topk_args topk;
        struct matmul_args matmul;
        struct grouped_args grouped;
        struct delta_args delta;
        struct conv_args conv;
        struct pool_args pool;
        struct recur_args recur;
        struct rows_args rows;
        struct pad_args pad;
        struct gather_args gather;
        struct take_args take;
    };
};

/* What a backend says of in[1] of JOB_GATHER and JOB_TAKE. */
int job_index_error(int64_t index, int64_t at, int64_t length, struct err *err);
/* Of in[2] of JOB_GROUPED: offsets begin at 0, never fall and end at the last row. */
int job_check_offsets(const struct grouped_args *g, const int64_t *offsets, struct err *err);

#endif
