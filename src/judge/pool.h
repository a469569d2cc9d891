/* SPDX-License-Identifier: MIT */
/* Contents: inputs, parameters and the expected outputs that belong to them, drawn from a secret
 * seed, and the error gates measured on them. They live in the judge's private memory; a content
 * reaches a runner only by being copied into a shared arena right before a call. */
#ifndef ASSAY_JUDGE_POOL_H
#define ASSAY_JUDGE_POOL_H

#include "device/device.h"
#include "judge/gate.h"
#include "judge/layout.h"
#include "judge/progress.h"
#include "problem/problem.h"

struct content {
    bool appealed;   /* the honest run was made on it once more, in several orders */
    struct mem data; /* laid out like an input arena, guards included */
    struct mem y;    /* expected values, 8 bytes an element, outputs one after the other */
    /* The same in the judge's host memory, where expected values are computed. On devices whose
     * memory the host sees (cpu, fake) these are the two above and own nothing. */
    struct mem host_data, host_y;
};

/* Per law and output. */
struct law_gate {
    struct gate gate;
    struct compare_scale scale;
};

struct pool {
    const struct device *device;
    void *ctx; /* the device's; not owned */
    const struct graph *graph;
    const struct progress *progress; /* may be NULL; not owned */
    uint64_t seed;
    struct layout in, out;
    size_t *y_offset; /* per output, in bytes into content.y */
    size_t y_bytes;
    struct content *contents;
    int n_contents;
    int max_contents; /* what memory allows */
    bool large;       /* worth threads; small ones are made by one, which no busy machine delays */
    struct law_gate *gates;                   /* [law * n_outputs + output] */
    int honest_contents;                      /* per law, that the gates rest on from the start */
    int honest_orders;                        /* summation orders the honest run is made in */
    struct compare_stats *honest;             /* its figures so far, like gates[] */
    double inputs_ms, expected_ms, honest_ms; /* what it took so far */
    double content_ms;                        /* what one more content costs */
};

/* Draws the first contents (at least min_contents and enough of every law) and measures the gates.
 * ERR_INPUT when they do not fit into 70 % of the device's memory. */
int pool_open(const struct device *device, void *ctx, const struct graph *g, uint64_t seed,
              int min_contents, int64_t memory_bytes, const struct progress *progress,
              struct pool *ret, struct err *err);
void pool_close(struct pool *p);
/* Makes sure that contents 0..n-1 exist; fewer only when memory is at its limit. */
int pool_grow(struct pool *p, int n, struct err *err);

/* Makes the honest run on this content, in several summation orders, and widens the gates by it.
 * Some data is harder than other (a row of nothing but cancellation): before a candidate is called
 * wrong, the unit is measured on the very content it failed on. Returns 1 when that was new, 0 when
 * it was in already. */
int pool_include_honest(struct pool *p, int content, struct err *err);

static inline int pool_law(const struct pool *p, int content)
{
    return graph_law(p->graph, content);
}

/* Compares outputs that lie in `got` like in an output arena (at `at`) with content's expected
 * ones. */
int pool_compare(const struct pool *p, int content, int output, const struct mem *got, size_t at,
                 struct compare_stats *ret, struct err *err);

/* Evaluates the graph on a content some other way (a null, another honest order) into 8-byte values
 * laid out like content.y. */
struct ops_run;
int pool_evaluate(const struct pool *p, int content, const struct ops_run *run, void *values,
                  struct err *err);
/* The same with another graph over the same sources and outputs: one of graph->nulls. */
int pool_evaluate_graph(const struct pool *p, const struct graph *g, int content,
                        const struct ops_run *run, void *values, struct err *err);

#endif
