/* SPDX-License-Identifier: MIT */
/* The baseline that --baseline names: a model of a run (model_baseline.h), or a kind of a shipped
 * file (shipped.h). */
#ifndef ASSAY_RESULTS_NAMED_BASELINE_H
#define ASSAY_RESULTS_NAMED_BASELINE_H

#include "results/model_baseline.h"
#include "results/shipped.h"

struct named_baseline {
    struct analyze_baseline times;        /* name: NULL if there is no baseline */
    const char *notes[SHIPPED_NOTES + 1]; /* lines for the reader, then NULL; not owned */
    /* Below: what `times` is made of. */
    struct results *other;
    struct model_baseline model;
    struct shipped shipped;
};

/* `word` (NULL: no baseline), `run` and *b itself have to stay where they are until the release. A
 * model of the run itself may be called "shipped:..." too, and comes first. */
int named_baseline_open(struct named_baseline *b, struct store *s, const char *share,
                        const char *word, const struct results *run, struct err *err);
void named_baseline_release(struct named_baseline *b);
/* The notes as a new JSON array. */
json_t *named_baseline_notes(const struct named_baseline *b);

#endif
