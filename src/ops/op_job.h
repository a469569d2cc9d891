/* SPDX-License-Identifier: MIT */
/* A job: one core op over whole tensors, ready to run. eval_node.c makes jobs from nodes, a backend
 * (eval.h) carries them out. Tensors are contiguous. Only in elementwise jobs y may be an operand,
 * if the two have the same shape. */
#ifndef ASSAY_OPS_OP_JOB_H
#define ASSAY_OPS_OP_JOB_H

#include "ops/convert.h"
#include "ops/item_args.h"

#define OP_JOB_MAX_IN PASS_MAX_IN

enum op_job_kind {
    OP_JOB_FILL,
    OP_JOB_IOTA,
    OP_JOB_CONVERT, /* in[0] goes to the store, is rounded, goes through `through` to `to` */
    OP_JOB_UNARY,
    OP_JOB_BINARY,
    OP_JOB_COMPARE, /* y is int64 */
    OP_JOB_WHERE,   /* in[0]: int64 condition */
    OP_JOB_PASS,    /* replaces one or several OP_JOB_UNARY and OP_JOB_BINARY (pass.h) */
    OP_JOB_REDUCE,
    OP_JOB_ARG,  /* y is int64 */
    OP_JOB_TOPK, /* y is int64 */
    OP_JOB_SCAN,
    OP_JOB_MATMUL,
    OP_JOB_GROUPED, /* in[2]: int64 offsets, which the backend has to check */
    OP_JOB_CONV,
    OP_JOB_POOL,
    OP_JOB_DELTA, /* in: q, k, v, decay, beta */
    OP_JOB_RECUR, /* in: gates from x, w_hh, b_hh, h0, c0 (or NULL) */
    OP_JOB_MOVE,
    OP_JOB_ROWS, /* one operand of a concatenation */
    OP_JOB_PAD,
    OP_JOB_GATHER, /* in[1]: int64 indices, which the backend has to check */
    OP_JOB_TAKE,
};

/* Copies rows of `width` elements. Rows of y begin y_row elements apart; x is contiguous. */
struct rows_args {
    int64_t rows, width, y_row;
};

struct convert_args {
    bool passes; /* true: values go through `through` to `to`; false: they stay in the store */
    enum dtype through;
    enum store to;
};

struct op_job {
    enum op_job_kind kind;
    enum op_code op;
    enum store store; /* the type of the computation; a condition and indices are always int64 */
    const void *in[OP_JOB_MAX_IN]; /* NULL: no such operand, or a pass's constant */
    /* The dtype of in[i] in memory: the store's own, or any dtype of a source if the backend reads
     * those. */
    enum dtype type[OP_JOB_MAX_IN];
    int64_t in_count[OP_JOB_MAX_IN]; /* elements of in[i] */
    void *y;
    int64_t count; /* elements of y */
    /* Rounding, for floats only. OP_JOB_CONVERT: of each value. Contractions: of both operands.
     * OP_JOB_RECUR: of the weights and of the state before each product. OP_JOB_DELTA: of q, k and
     * v. */
    enum rounding round;
    union {
        double value; /* OP_JOB_FILL */
        /* Elementwise jobs and OP_JOB_MOVE: ax[i] walks in[i] over y's shape, axes joined. */
        struct axes ax[3];
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

/* The error of an index outside the axis, in in[1] of OP_JOB_GATHER or OP_JOB_TAKE. Returns -1. */
int job_index_error(int64_t index, int64_t at, int64_t length, struct err *err);
/* Checks in[2] of OP_JOB_GROUPED: offsets begin at 0, never fall and end at the number of rows. */
int job_check_offsets(const struct grouped_args *g, const int64_t *offsets, struct err *err);

#endif
