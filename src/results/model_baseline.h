/* SPDX-License-Identifier: MIT */
/* A model of a run as the baseline: the best of its right samples, size by size. */
#ifndef ASSAY_RESULTS_MODEL_BASELINE_H
#define ASSAY_RESULTS_MODEL_BASELINE_H

#include "results/analyze.h"

struct model_baseline {
    const struct results *results; /* not owned */
    int model_at;
};

/* ERR_INPUT when the run has no such model. */
int model_baseline_init(struct model_baseline *b, const struct results *r, const char *model,
                        struct err *err);
/* Opens the baseline that --baseline names: "MODEL" of the run itself (models may have colons too),
 * or "RUN:MODEL" of another, which *ret_other then holds. NULL: no baseline. `word`, `own`,
 * *ret_other and *model have to outlive *ret. */
int model_baseline_open(struct store *s, const char *word, const struct results *own,
                        struct results **ret_other, struct model_baseline *model,
                        struct analyze_baseline *ret, struct err *err);
/* For struct analyze_baseline; arg is a struct model_baseline. Times of another device do not
 * count. */
double model_baseline_cold_us(void *arg, const char *problem, const char *size_hash,
                              const char *fingerprint);

#endif
