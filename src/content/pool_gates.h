/* SPDX-License-Identifier: MIT */
/* Gates of a pool: how large an honest error is, measured on the pool's contents. */
#ifndef ASSAY_CONTENT_POOL_GATES_H
#define ASSAY_CONTENT_POOL_GATES_H

#include "content/pool.h"

static inline struct law_gate *pool_law_gate(const struct pool *p, int law, int output)
{
    return &p->gates[law * p->graph->n_outputs + output];
}

/* Number of rows whose errors are measured by the row's own size; 0 if the whole tensor is one. */
int64_t pool_row_count(const struct pool *p, int output);
/* RMS of each row of the expected values in the slot, computed once per content. *ret is NULL if
 * there are no rows, or if the device's compare() computes it itself. */
int pool_get_row_rms(struct pool *p, const struct pool_slot *slot, const struct mem **ret,
                     struct err *err);
/* Chooses how many contents and summation orders the gates rest on from the start. Called when one
 * content was made and its cost is known. */
void pool_choose_honest(struct pool *p);
/* Number of contents to make, so that those are among them on which the gates rest from the
 * start. */
int pool_honest_contents(const struct pool *p);
/* Measures the gates of all laws. contents: number of contents that the scales rest on. */
int pool_measure_gates(struct pool *p, int contents, struct err *err);
/* Measures the gates of this content's law, if they are not measured yet. The content lies in
 * memory. */
int pool_measure_first(struct pool *p, int content, struct err *err);
/* Frees the memory of honest runs. */
void pool_drop_values(struct pool *p);

#endif
