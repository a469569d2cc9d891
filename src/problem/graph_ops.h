/* SPDX-License-Identifier: MIT */
/* Inside src/problem: how graph_add finds the dtype and shape of each op. */
#ifndef ASSAY_PROBLEM_GRAPH_OPS_H
#define ASSAY_PROBLEM_GRAPH_OPS_H

#include "problem/graph.h"

/* One node under inference: op, in and attrs are set; dtype and shape are to be found. */
struct infer {
    const struct graph *graph;
    struct node *node;
    const struct node *want; /* may be NULL if the op needs none */
    struct err *err;
};

/* A shape as text for messages, without memory to free. */
struct shape_text {
    char s[192];
};
struct shape_text shape_text(const struct shape *s);

const struct node *infer_operand(const struct infer *f, int i);
/* Fails with "OPNAME: message" and returns -1. */
int infer_refuse(const struct infer *f, const char *fmt, ...) PRINTF_LIKE(2, 3);
int infer_same_dtype(const struct infer *f, int i, int j);

/* Fills dtype and shape and completes attrs (a convolution's k), or fails and says what does not
 * fit. */
int op_infer(struct infer *f);

/* The next %N in a call's PyTorch text, from p on, or NULL; *ret_end points behind its digits. */
const char *call_next_ref(const char *p, int *ret_node, const char **ret_end);

/* Shape rules in graph_window.c. */
int infer_conv(struct infer *f);
int infer_conv_transpose(struct infer *f);
int infer_pool(struct infer *f);
int infer_recur(struct infer *f);
int infer_delta_rule(struct infer *f);

#endif
