/* SPDX-License-Identifier: MIT */
/* Running a graph: the part that the host's engine and a GPU's engine share. */
#ifndef ASSAY_OPS_EVAL_H
#define ASSAY_OPS_EVAL_H

#include "ops/op_job.h"
#include "ops/lifetime.h"
#include "ops/ops.h"

/* A backend owns memory and carries out jobs. All addresses are in its memory. */
struct backend {
    void *ctx;
    bool reads_sources;                      /* operands may have any dtype in memory */
    int most_steps;                          /* most steps of an OP_JOB_PASS; 0: no such jobs */
    void *(*alloc)(void *ctx, size_t bytes); /* NULL: not enough memory */
    void (*free)(void *ctx, void *at);       /* `at` may be NULL */
    int (*run)(void *ctx, const struct op_job *j, struct err *err);
    /* Most bytes of scratch memory that run() takes for a job; its in[] and y are not set.
     * Optional: without it run() takes none. */
    double (*scratch)(void *ctx, const struct op_job *j);
};

int eval_graph(const struct backend *b, const struct graph *g, const struct ops_run *run,
               const void *const *sources, void *const *outputs, struct err *err);
double eval_peak(const struct backend *b, const struct graph *g, enum ops_precision precision);

/* --- inside src/ops --- */

#define EVAL_MAX_OPERANDS 256 /* most operands of a node or a pass */

struct eval {
    const struct backend *b; /* not owned */
    const struct graph *g;   /* not owned */
    struct ops_run run;
    bool cut_scans;              /* truncate scans: the graph has nothing else to truncate */
    const struct passes *passes; /* not owned */
};

/* A value in memory: its address (NULL: it is an argument of a pass) and its dtype there. */
struct operand {
    const void *at;
    enum dtype type;
};

/* The number of jobs of a node, and its i-th job. in: the values that it reads, in the order of
 * passes_operands(). */
int eval_jobs(const struct node *node);
void eval_job(const struct eval *e, int n, int i, const struct operand *in, void *y,
              struct op_job *ret);
/* The number of terms in the largest sum of a node; 1 when it has none. */
int64_t eval_terms(const struct graph *g, const struct node *node);

#endif
