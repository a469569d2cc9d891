/* SPDX-License-Identifier: MIT */
/* The score of one size, from its scored calls. Every law has a median of its own: a kernel that is
 * quick on one kind of numbers must not be shown with that time alone. */
#ifndef ASSAY_MEASURE_SCORE_H
#define ASSAY_MEASURE_SCORE_H

#include "measure/stats.h"

/* One scored call. Each content is shown to a process once, so no two samples share one. */
struct sample {
    double ns;         /* the time that counts */
    double claim_ns;   /* the runner's claim */
    double outside_ns; /* the judge's clock, the empty order taken off */
    double head_ns;    /* time before the call: on a GPU until it was held, on a CPU unexplained CPU
                          time */
    double early_ns;   /* part of ns: head_ns beyond what any honest call takes */
    int run;           /* index of the process */
    int in, out;       /* arenas of that process */
    int content, law;
};

struct score {
    struct interval cold;
    int law;      /* the law whose samples alone make the score; -1: all of them do */
    bool bimodal; /* two groups of times among calls between which nothing differs */
    bool settled; /* the interval inside processes met the stopping rule; not bimodal */
};

/* Laws agree if every two medians lie within 1 %, or within each other's intervals. Then the score
 * is the median of all samples. Otherwise it is the median of the law that takes longest. */
struct score score_of(const struct sample *samples, int n, int n_runs);

/* The quantile q of head_ns over the calls that took at most `slack_ns` longer than the median. */
double score_head(const struct sample *samples, int n, double q, double slack_ns);

/* The median of one field, e.g. offsetof(struct sample, claim_ns); 0 for no samples. */
double score_median(const struct sample *samples, int n, size_t field);

#endif
