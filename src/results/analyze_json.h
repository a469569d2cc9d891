/* SPDX-License-Identifier: MIT */
/* An analysis for programs: docs/runs.md names the keys and columns. */
#ifndef ASSAY_RESULTS_ANALYZE_JSON_H
#define ASSAY_RESULTS_ANALYZE_JSON_H

#include "results/analyze.h"

/* Return new references. A figure that does not exist is null. */
json_t *analyze_json(const struct analysis *a);
json_t *comparison_json(const struct comparison *c);
/* Writes one line for every model and problem, after one with the columns' names. */
void analyze_csv(const struct analysis *a, struct buf *out);

#endif
