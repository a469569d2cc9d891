/* SPDX-License-Identifier: MIT */
/* Inside src/ops: one node of a running evaluation. */
#ifndef ASSAY_OPS_EVAL_H
#define ASSAY_OPS_EVAL_H

#include "ops/convert.h"
#include "ops/ops.h"

struct eval {
    const struct graph *g; /* not owned */
    struct ops_run run;
    bool cut_scans; /* truncation has nothing else to bite */
};

/* Fills y, the memory of node n, from the memory of its operands. */
int eval_node(const struct eval *e, int n, const void *const *in, void *y, struct err *err);
/* Terms of the largest sum a node takes: 1 when it takes none. */
int64_t eval_terms(const struct graph *g, const struct node *node);

#endif
