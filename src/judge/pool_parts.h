/* SPDX-License-Identifier: MIT */
/* What the files of a pool share: pool.c makes contents, pool_gates.c compares with them and
 * measures gates, pool_passing.c compares with what is not made, pool_sketch.c with what is left of
 * it. Nobody else includes this. */
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

/* Its expected values lie there. */
bool pool_has_expected(const struct pool *p, int content);

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
 * Whether every output will pass. */
bool pool_prepare_passing(const struct pool *p, const struct pool_slot *slot);
/* Where it can. print: may be NULL. */
int pool_compare_passing(const struct pool *p, const struct pool_slot *slot, int output,
                         const struct mem *got, size_t at, const struct compare_scale *scale,
                         struct compare_stats *ret, struct fingerprint *print, struct err *err);

/* ---- pool_sketch.c ---- */

void pool_lay_out_sketches(struct pool *p);
/* Whether there is room for them, all that they need is kept, and more than one candidate is to
 * come. */
bool pool_may_sketch(struct pool *p, const struct pool_config *c);
/* Where pool.sketches and there is none yet. slot: of a content with expected values and scales.
 * Without memory there are none, nor where the first one fails its proof: nothing depends on them
 * but time. */
void pool_keep_sketch(struct pool *p, const struct pool_slot *slot);
bool pool_is_sketched(const struct pool *p, int content);
/* It is of scales that were given up. */
void pool_drop_sketch(struct pool *p, int content);
/* 1: a candidate's answer is right, with what pool_compare() says then. 0: not known. */
int pool_is_near(struct pool *p, int content, int output, const struct mem *got, size_t at,
                 struct compare_stats *ret, struct err *err);

#endif
