/* SPDX-License-Identifier: MIT */
/* Inside src/process: results that lie in a runner's own memory, and words of an output wherever it
 * lies. Addresses are the candidate's word; what is there is a fact. */
#ifndef ASSAY_PROCESS_RPROC_RESULTS_H
#define ASSAY_PROCESS_RPROC_RESULTS_H

#include "process/rproc.h"

/* Reads the addresses off the page, once: they can change there later. */
void rproc_take_results(struct rproc *r);
/* Address of byte `at` of the output arena in the runner's memory; 0: it is in the arena, or the
 * runner did not name it. */
uint64_t rproc_result_at(const struct rproc *r, size_t at);
/* Reads the present values of all glimpses. A word that cannot be read is 0. */
void rproc_look(const struct rproc *r, uint32_t ret[RPROC_GLIMPSES]);

#endif
