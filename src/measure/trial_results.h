/* SPDX-License-Identifier: MIT */
/* Inside src/measure: results that a candidate left in memory of its own process. */
#ifndef ASSAY_MEASURE_TRIAL_RESULTS_H
#define ASSAY_MEASURE_TRIAL_RESULTS_H

#include "measure/trial_call.h"

/* Finds the results of the last order, before anything else is done on the device. Does nothing if
 * they are in the output arena, or are read from the process by its addresses. */
int trial_locate(struct trial *t, const struct rproc *r, struct verdict *v);
/* Brings results to their places in the output arena. The process must stand still. */
int trial_fetch(struct trial *t, const struct rproc *r, const struct call_target *s,
                struct verdict *v, struct err *err);
/* Reads the words at the target's secret places, wherever the results lie. */
int trial_peek(const struct trial *t, const struct call_target *s, uint32_t *ret_words,
               double *ret_ns, struct err *err);

#endif
