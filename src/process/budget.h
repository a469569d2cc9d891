/* SPDX-License-Identifier: MIT */
/* Scratch memory on a device of its own, where a problem states a budget (requires { memory = }).
 * The runner's word is the candidate's, so the device itself is asked from the judge's side: what
 * is held there by others than the judge, less what they held before the artifact was loaded. */
#ifndef ASSAY_PROCESS_BUDGET_H
#define ASSAY_PROCESS_BUDGET_H

#include "device/device.h"
#include "terms/verdict.h"

struct budget {
    const struct device_judge_ops *ops; /* NULL: nobody looks */
    void *ctx;                          /* not owned */
    int64_t limit_bytes;                /* what the runners may hold, all of them together */
    int64_t before_bytes;               /* held by others when they were warm and had no artifact */
    int64_t most_bytes;                 /* above that, so far */
};

/* limit_bytes: of one runner. 0, or a device that does not tell, and nobody looks. The runners are
 * warm, and nothing else on the device comes or goes from here on. */
int budget_begin(struct budget *b, const struct device_judge_ops *ops, void *ctx,
                 int64_t limit_bytes, int n_runners, struct err *err);
int budget_sample(struct budget *b, struct err *err);
/* 1 when more was seen than is allowed. */
int budget_verdict(const struct budget *b, struct verdict *v);

#endif
