/* SPDX-License-Identifier: MIT */
/* What the files of a pool share: pool.c makes contents, pool_gates.c measures gates on them,
 * shortcut.c compares with them. Nobody else includes this. */
#ifndef ASSAY_CONTENT_POOL_PARTS_H
#define ASSAY_CONTENT_POOL_PARTS_H

#include "content/pool.h"

static inline const struct node *pool_output_node(const struct graph *g, int output)
{
    return &g->nodes[g->outputs[output].node];
}

static inline int64_t pool_output_count(const struct graph *g, int output)
{
    return shape_count(&pool_output_node(g, output)->shape);
}

/* Where the engine finds it: engine and device share their memory. */
static inline char *pool_address(const struct mem *m)
{
    return m->host ? m->host : (char *)(uintptr_t)m->handle;
}

/* ---- pool.c ---- */

/* Where the sources of a graph over these inputs lie; kept: those that the problem's graph has not.
 * The caller frees it. */
const void **pool_sources(const struct pool *p, const struct graph *g, const struct mem *data,
                          const struct mem *kept);

/* Evaluates a graph over the problem's sources, and what is kept of the content in the slot, into
 * values that are laid out like pool_slot.y. Outputs that the problem's graph has not are kept. */
int pool_evaluate_on(const struct pool *p, const struct graph *g, const struct pool_slot *slot,
                     const struct ops_run *run, const struct mem *values, struct err *err);

/* The content with its expected values, which g makes unless they lie there. It takes no shortcut,
 * and measures no gates. */
int pool_make_expected(struct pool *p, int content, const struct graph *g,
                       const struct pool_slot **ret, struct err *err);

/* There is such a content, whether or not it was ever made. */
void pool_count_content(struct pool *p, int k);

/* ---- pool_gates.c ---- */

static inline struct law_gate *pool_law_gate(const struct pool *p, int content, int output)
{
    return &p->gates[pool_law(p, content) * p->graph->n_outputs + output];
}

/* Rows whose errors are measured by their own size; a whole tensor has none. */
int64_t pool_row_count(const struct pool *p, int output);
/* The size of the rows of expected values that lie in the slot, found once per content. *ret is
 * NULL where the device's compare() has to find it itself. */
int pool_get_row_rms(struct pool *p, const struct pool_slot *slot, const struct mem **ret,
                     struct err *err);
/* On how much the gates rest from the start, once a content was made and its cost is known. */
void pool_choose_honest(struct pool *p);
/* So many contents at least hold those that the gates rest on from the start. */
int pool_honest_contents(const struct pool *p);
/* Of all laws; contents: the scales rest on. */
int pool_measure_gates(struct pool *p, int contents, struct err *err);
/* Of this content's law, if they are not; the content lies there. */
int pool_measure_first(struct pool *p, int content, struct err *err);
/* The memory of honest runs. */
void pool_drop_values(struct pool *p);

#endif
