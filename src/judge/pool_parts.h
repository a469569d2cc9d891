/* SPDX-License-Identifier: MIT */
/* What the files of a pool share: pool.c makes contents, pool_gates.c compares with them and
 * measures gates, pool_passing.c compares with what is not made. Nobody else includes this. */
#ifndef ASSAY_JUDGE_POOL_PARTS_H
#define ASSAY_JUDGE_POOL_PARTS_H

#include "judge/pool.h"

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

/* What makes the expected values of a content that was made before. */
static inline const struct graph *pool_again(const struct pool *p)
{
    return p->digest.n > 0 ? &p->digest.again : p->graph;
}

/* ---- pool.c ---- */

/* Where the sources of a graph over these inputs lie; kept: those that the problem's graph has not.
 * The caller frees it. */
const void **pool_sources(const struct pool *p, const struct graph *g, const struct mem *data,
                          const struct mem *kept);

/* There is such a content, whether or not it was ever made. */
void pool_count_content(struct pool *p, int k);

/* ---- pool_gates.c ---- */

static inline struct law_gate *pool_law_gate(const struct pool *p, int content, int output)
{
    return &p->gates[pool_law(p, content) * p->graph->n_outputs + output];
}

int64_t pool_row_count(const struct pool *p, int output);
/* On how much the gates rest from the start, once a content was made and its cost is known. */
void pool_choose_honest(struct pool *p, bool keeps);
/* So many contents at least hold those that the gates rest on from the start. */
int pool_honest_contents(const struct pool *p);
/* Of all laws; contents: the scales rest on. */
int pool_measure_gates(struct pool *p, int contents, struct err *err);
/* Of this content's law, if nobody did before. */
int pool_measure_first(struct pool *p, int content, struct err *err);
/* The memory of honest runs. */
void pool_drop_values(struct pool *p);

/* ---- pool_passing.c ---- */

/* Whether a candidate's output can be compared without the content's expected values, which are not
 * there; and each output. */
bool pool_passes(const struct pool *p, const struct pool_slot *slot, int output);
bool pool_passes_all(const struct pool *p, const struct pool_slot *slot);
/* Has the engine make ready for it, while nobody waits. slot: of a content with what is kept of it.
 */
void pool_prepare_passing(const struct pool *p, const struct pool_slot *slot);
/* Where it can. print: may be NULL. */
int pool_compare_passing(const struct pool *p, const struct pool_slot *slot, int output,
                         const struct mem *got, size_t at, const struct compare_scale *scale,
                         struct compare_stats *ret, struct fingerprint *print, struct err *err);

#endif
