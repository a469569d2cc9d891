/* SPDX-License-Identifier: MIT */
/* Elementwise ops that are carried out in one pass over memory. A value that one op alone reads, in
 * its own shape, is handed on to it and never stored, and constants are arguments. What is computed
 * is the same, op by op and bit for bit. */
#ifndef ASSAY_OPS_PASS_H
#define ASSAY_OPS_PASS_H

#include "ops/item_args.h"
#include "ops/ops.h"

struct passes {
    int most_steps; /* of one pass; 0: there are none, every op is a job of its own */
    /* Per node, another node or -1: who its value is handed on to, and whose is handed on to it. */
    int *next, *prev;
    bool *is_argument; /* per node: a constant that is never in memory */
};

/* last: per node, the last that reads it, itself for an output, -1: not needed. most_steps: up to
 * PASS_MAX_STEPS. */
void passes_init(struct passes *p, const struct graph *g, enum ops_precision precision,
                 const int *last, int most_steps);
void passes_release(struct passes *p);

/* Whether node n is run as the end of a pass, be it the only step. */
bool passes_ends(const struct passes *p, const struct graph *g, int n);
/* The node that ends the pass in which node n is computed: its operands are read then. */
int passes_end(const struct passes *p, int n);
/* Whether the value of node n is kept in memory. */
bool passes_stores(const struct passes *p, int n);
/* The nodes that are read when node n is run: its own operands, or those of the pass that it ends,
 * at most PASS_MAX_IN. Those not stored are arguments. */
int passes_operands(const struct passes *p, const struct graph *g, int n, int *ret);
/* The steps of the pass that node n ends, over those operands. */
void passes_steps(const struct passes *p, const struct graph *g, int n, struct pass_args *ret);

#endif
