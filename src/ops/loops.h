/* SPDX-License-Identifier: MIT */
/* The core ops over whole tensors on the CPU, once for each type in which values are stored. All
 * tensors are contiguous. Only in elementwise loops y may be an operand, if the two have the same
 * shape. Bits in float do not depend on the number of threads. */
#ifndef ASSAY_OPS_LOOPS_H
#define ASSAY_OPS_LOOPS_H

#include "base/err.h"
#include "ops/item_args.h"
#include "problem/graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loops {
    size_t size; /* bytes of an element */
    void (*fill)(void *y, int64_t n, double value);
    void (*iota)(const struct line_args *l, void *y);
    void (*unary)(enum op_code op, const void *x, void *y, int64_t n);
    /* Elementwise loops: ax[i] walks operand i over the output's shape, axes joined (axes_join). */
    void (*binary)(enum op_code op, const struct axes *ax, const void *a, const void *b, void *y);
    void (*compare)(enum op_code op, const struct axes *ax, const void *a, const void *b,
                    int64_t *y);
    void (*where)(const struct axes *ax, const int64_t *cond, const void *a, const void *b,
                  void *y);
    int (*reduce)(enum op_code op, const struct reduce_args *r, const void *x, void *y,
                  struct err *err);
    void (*arg)(enum op_code op, const struct line_args *l, const void *x, int64_t *y);
    void (*topk)(const struct topk_args *a, const void *x, int64_t *y);
    void (*scan)(enum op_code op, const struct line_args *l, const void *x, void *y);
    int (*matmul)(const struct matmul_args *m, const void *a, const void *b, void *y,
                  struct err *err);
    void (*move)(const struct axes *ax, const void *x, void *y);
    void (*pad)(const struct pad_args *p, const void *x, void *y);
    void (*gather)(const struct gather_args *g, const void *x, const int64_t *index, void *y);
    void (*take)(const struct take_args *t, const void *x, const int64_t *index, void *y);
    /* The loops below are NULL for integers. */
    int (*grouped)(const struct grouped_args *g, const void *x, const void *w,
                   const int64_t *offsets, void *y, struct err *err);
    /* in: q, k, v, decay, beta */
    int (*delta)(const struct delta_args *a, const void *const in[5], void *y, struct err *err);
    int (*conv)(const struct conv_args *c, const void *x, const void *w, const void *bias, void *y,
                struct err *err);
    void (*pool)(enum op_code op, const struct pool_args *p, const void *x, void *y);
    /* in: gates from x, w_hh, b_hh, h0, c0 (or NULL). round: applied to w_hh and to the state
     * before each product. */
    int (*recur)(enum op_code op, const struct recur_args *r, const void *const in[5],
                 enum rounding round, void *y, struct err *err);
};

extern const struct loops loops_f64, loops_f32, loops_i64;

/* Drops axes of length 1 and joins neighbours that all n operands walk with one stride. At least
 * one axis is left. */
void axes_join(struct axes *ax, int n);
int64_t axes_count(const struct axes *ax);

/* Walks elements from..to of a shape in runs along its last axis. */
struct walk {
    const struct axes *ax; /* axes of the n operands */
    int n;
    int64_t at, end;   /* flat index of this run, and of the end of the walk */
    int64_t len;       /* elements of this run */
    int64_t offset[3]; /* offset of each operand at the run's beginning */
    int64_t coord[ITEM_MAX_RANK];
};

/* Use: for (walk_start(&w, ...); w.len; walk_next(&w)). */
void walk_start(struct walk *w, const struct axes *ax, int n, int64_t from, int64_t to);
void walk_next(struct walk *w);

/* Zeroed scratch memory, or NULL and ERR_SYSTEM. */
void *loops_scratch(size_t bytes, struct err *err);

#endif
