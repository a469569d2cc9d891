/* SPDX-License-Identifier: MIT */
/* An analysis for programs: docs/runs.md names the keys and columns. */
#ifndef ASSAY_RESULTS_ANALYZE_JSON_H
#define ASSAY_RESULTS_ANALYZE_JSON_H

#include "results/analyze.h"

/* New references. A figure that there is not is null. */
json_t *analyze_json(const struct analysis *a);
json_t *comparison_json(const struct comparison *c);
/* One line for every model and problem, after one with the columns' names. */
void analyze_csv(const struct analysis *a, struct buf *out);

#endif
