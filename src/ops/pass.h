/* SPDX-License-Identifier: MIT */
/* Elementwise ops that are carried out in one pass over memory. A value that only one op reads, in
 * the same shape, is handed on to that op and never stored. Constants become arguments. The results
 * are the same as op by op, to the bit. */
#ifndef ASSAY_OPS_PASS_H
#define ASSAY_OPS_PASS_H

#include "ops/item_args.h"
#include "ops/ops.h"

struct passes {
    int most_steps; /* most steps of one pass; 0: no passes, every op is a job of its own */
    /* Per node: the node that takes over its value, and the node whose value it takes over; -1:
     * none. */
    int *next, *prev;
    bool *is_argument; /* per node: a constant that is never in memory */
};

/* Plans the passes of a graph. last: per node, its last reader, the node itself if it is an output,
 * or -1 if it is not needed. most_steps: up to PASS_MAX_STEPS. */
void passes_init(struct passes *p, const struct graph *g, enum ops_precision precision,
                 const int *last, int most_steps);
void passes_release(struct passes *p);

/* Whether node n is run as the end of a pass, possibly its only step. */
bool passes_ends(const struct passes *p, const struct graph *g, int n);
/* The node that ends the pass in which node n is computed. n's operands are read when that node
 * runs. */
int passes_end(const struct passes *p, int n);
/* Whether the value of node n is stored in memory. */
bool passes_stores(const struct passes *p, int n);
/* The nodes that are read when node n runs: its own operands, or those of the pass that it ends (at
 * most PASS_MAX_IN). Operands that are not stored are arguments. */
int passes_operands(const struct passes *p, const struct graph *g, int n, int *ret);
/* The steps of the pass that node n ends, over the operands of passes_operands(). */
void passes_steps(const struct passes *p, const struct graph *g, int n, struct pass_args *ret);

#endif
