/* SPDX-License-Identifier: MIT */
/* Inside src/problem: one core op as a PyTorch expression. */
#ifndef ASSAY_PROBLEM_TORCH_OPS_H
#define ASSAY_PROBLEM_TORCH_OPS_H

#include "problem/graph.h"

struct torch_names {
    const struct graph *graph;
    char **of_node; /* a Python expression without operators; NULL while the node has no name */
    /* The dtype and device of a source, as Python expressions, or NULL. f32 follows the inputs, so
     * that a module that is run in float64 stays in float64; new tensors are made on `device`. */
    const char *f32, *device;
};

/* Whether operand i of the node is written as a number, so that it needs no line of its own. */
bool torch_inlines(const struct graph *g, const struct node *n, int i);
/* Whether the node equals its operand. PyTorch cannot write some of these (a sum over no axis). */
bool torch_is_operand(const struct graph *g, const struct node *n);
/* Adds an expression such as "torch.maximum(v1, v2)". */
void torch_expr(const struct torch_names *t, int node, struct buf *out);

/* Adds "2, 3", or "()" for a scalar. */
void torch_add_dims(const struct shape *s, struct buf *out);
/* Adds the shortest number that reads back as the same double; a whole number if the dtype is an
 * integer. */
void torch_add_number(double v, enum dtype dtype, struct buf *out);
const char *torch_dtype(enum dtype dtype); /* "torch.float32" */

#endif
