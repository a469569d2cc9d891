/* SPDX-License-Identifier: MIT */
/* What the files of a pool share: pool.c makes contents, pool_gates.c compares with them and
 * measures gates. Nobody else includes this. */
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

/* ---- pool.c ---- */

/* There is such a content, whether or not it was ever made. */
void pool_count_content(struct pool *p, int k);

/* ---- pool_gates.c ---- */

int64_t pool_row_count(const struct pool *p, int output);
/* On how much the gates rest from the start, once a content was made and its cost is known. */
void pool_choose_honest(struct pool *p, bool keeps);
/* Of all laws; contents: the scales rest on. */
int pool_measure_gates(struct pool *p, int contents, struct err *err);
/* Of this content's law, if nobody did before. */
int pool_measure_first(struct pool *p, int content, struct err *err);
/* The memory of honest runs. */
void pool_drop_values(struct pool *p);

#endif
