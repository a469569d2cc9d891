/* SPDX-License-Identifier: MIT */
/* Scratch memory on a device with memory of its own, counted if a problem states a budget (requires
 * { memory = }). The runner's word is the candidate's word. So the judge asks the device itself:
 * memory held by others than the judge, less what they held before the artifact was loaded. */
#ifndef ASSAY_PROCESS_BUDGET_H
#define ASSAY_PROCESS_BUDGET_H

#include "device/device.h"
#include "terms/verdict.h"

struct budget {
    const struct device_judge_ops *ops; /* NULL: memory is not counted */
    void *ctx;                          /* not owned */
    int64_t limit_bytes;                /* bytes that all runners together may hold */
    int64_t before_bytes; /* held by others when runners were warm and had no artifact */
    int64_t most_bytes;   /* largest increase above before_bytes so far */
};

/* limit_bytes: the limit of one runner. If it is 0, or if the device does not tell, memory is not
 * counted. The runners are warm, and nothing else on the device comes or goes from here on. */
int budget_begin(struct budget *b, const struct device_judge_ops *ops, void *ctx,
                 int64_t limit_bytes, int n_runners, struct err *err);
int budget_sample(struct budget *b, struct err *err);
/* Returns 1 when more was seen than is allowed. */
int budget_verdict(const struct budget *b, struct verdict *v);

#endif
