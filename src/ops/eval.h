/* SPDX-License-Identifier: MIT */
/* Running a graph: what the host's engine and a GPU's share. */
#ifndef ASSAY_OPS_EVAL_H
#define ASSAY_OPS_EVAL_H

#include "ops/op_job.h"
#include "ops/lifetime.h"
#include "ops/ops.h"

/* Who has the memory and carries out the jobs. Addresses are its own. */
struct backend {
    void *ctx;
    bool reads_sources;                      /* operands may lie in any dtype */
    int most_steps;                          /* of a OP_JOB_PASS; 0: it knows none */
    void *(*alloc)(void *ctx, size_t bytes); /* NULL: not to be had */
    void (*free)(void *ctx, void *at);       /* NULL is fine */
    int (*run)(void *ctx, const struct op_job *j, struct err *err);
    /* Most bytes that run() takes for itself meanwhile; in[] and y are not set. NULL: none. */
    double (*scratch)(void *ctx, const struct op_job *j);
};

int eval_graph(const struct backend *b, const struct graph *g, const struct ops_run *run,
               const void *const *sources, void *const *outputs, struct err *err);
double eval_peak(const struct backend *b, const struct graph *g, enum ops_precision precision);

/* --- inside src/ops --- */

#define EVAL_MAX_OPERANDS 256 /* of a node, and of what it reads */

struct eval {
    const struct backend *b; /* not owned, nor is g */
    const struct graph *g;
    struct ops_run run;
    bool cut_scans;              /* truncation has nothing else to bite */
    const struct passes *passes; /* not owned */
};

/* Where a value is (NULL: nowhere, it is an argument), and how its elements lie. */
struct operand {
    const void *at;
    enum dtype type;
};

/* How many jobs a node is, and the i-th of them. in: what it reads (passes_operands()). */
int eval_jobs(const struct node *node);
void eval_job(const struct eval *e, int n, int i, const struct operand *in, void *y,
              struct op_job *ret);
/* Terms of the largest sum a node takes: 1 when it takes none. */
int64_t eval_terms(const struct graph *g, const struct node *node);

#endif
