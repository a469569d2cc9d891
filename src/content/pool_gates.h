/* SPDX-License-Identifier: MIT */
/* Gates of a pool: how large an honest error is, measured on the pool's contents. */
#ifndef ASSAY_CONTENT_POOL_GATES_H
#define ASSAY_CONTENT_POOL_GATES_H

#include "content/pool.h"

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
