/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_JUDGE_CALL_FLOOR_H
#define ASSAY_JUDGE_CALL_FLOOR_H

#include "judge/station.h"

struct call_floor {
    double floor_ns; /* the time an empty candidate shows: no kernel can be measured faster */
    double empty_ns; /* the judge's clock on an order without a candidate */
    double hold_ns;  /* from ready until the device is held; GPUs only */
    double probe_ns; /* the least work of the judge's own, at once after a call; GPUs only */
    uint32_t layers; /* the sandbox layers its runner had (doctor asks for them) */
};

/* Cold, through the same path as any candidate. */
int call_floor_measure(const struct places *places, const struct device *device, int index,
                       const struct cpus *cpus, struct call_floor *ret, struct err *err);

#endif
