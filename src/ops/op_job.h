/* SPDX-License-Identifier: MIT */
/* One core op over whole tensors, ready to run: eval_node.c makes jobs of nodes, a backend
 * (eval.h) carries them out. Tensors are contiguous; y may be an operand itself only in the
 * elementwise jobs, where the two have the same shape. */
#ifndef ASSAY_OPS_OP_JOB_H
#define ASSAY_OPS_OP_JOB_H

#include "ops/convert.h"
#include "ops/item_args.h"

#define OP_JOB_MAX_IN PASS_MAX_IN

enum op_job_kind {
    OP_JOB_FILL,
    OP_JOB_IOTA,
    OP_JOB_CONVERT, /* in[0] to the store, rounded, made one of `through`, kept as `to` */
    OP_JOB_UNARY,
    OP_JOB_BINARY,
    OP_JOB_COMPARE, /* y is int64 */
    OP_JOB_WHERE,   /* in[0]: int64 condition */
    OP_JOB_PASS, /* in place of OP_JOB_UNARY and OP_JOB_BINARY, one or several of them (pass.h) */
    OP_JOB_REDUCE,
    OP_JOB_ARG,  /* y is int64 */
    OP_JOB_TOPK, /* y is int64 */
    OP_JOB_SCAN,
    OP_JOB_MATMUL,
    OP_JOB_GROUPED, /* in[2]: int64 offsets, which nobody has looked at before */
    OP_JOB_CONV,
    OP_JOB_POOL,
    OP_JOB_DELTA, /* in: q, k, v, decay, beta */
    OP_JOB_RECUR, /* in: gates of x, w_hh, b_hh, h0, c0 (or NULL) */
    OP_JOB_MOVE,
    OP_JOB_ROWS, /* a part of a concatenation */
    OP_JOB_PAD,
    OP_JOB_GATHER, /* in[1]: int64 indices, which nobody has looked at before */
    OP_JOB_TAKE,
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

struct op_job {
    enum op_job_kind kind;
    enum op_code op;
    enum store store; /* what is computed in; a condition and indices are int64 besides */
    const void *in[OP_JOB_MAX_IN]; /* NULL: not there */
    /* How the elements of in[i] lie: as the store's own type, or as a source came where the backend
     * reads those. */
    enum dtype type[OP_JOB_MAX_IN];
    int64_t in_count[OP_JOB_MAX_IN]; /* elements of in[i] */
    void *y;
    int64_t count; /* elements of y */
    /* Float only. OP_JOB_CONVERT: each value. Contractions: both operands; recurrences: the weights
     * and the state before each product. */
    enum rounding round;
    union {
        double value; /* OP_JOB_FILL */
        struct axes
            ax[3]; /* elementwise: walks in[i] over y's shape, axes joined; OP_JOB_MOVE: [0] */
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

/* What a backend says of in[1] of OP_JOB_GATHER and OP_JOB_TAKE. */
int job_index_error(int64_t index, int64_t at, int64_t length, struct err *err);
/* Of in[2] of OP_JOB_GROUPED: offsets begin at 0, never fall and end at the last row. */
int job_check_offsets(const struct grouped_args *g, const int64_t *offsets, struct err *err);

#endif
