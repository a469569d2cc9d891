/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_JUDGE_CALL_FLOOR_H
#define ASSAY_JUDGE_CALL_FLOOR_H

#include "judge/session.h"

/* The time an empty candidate shows, cold, through the same path as any other: no kernel can be
 * measured faster. *ret_layers: the sandbox layers its runner had (doctor asks for them). */
int call_floor_measure(const struct places *places, const struct device *device, int index,
                       const struct cpus *cpus, double *ret_ns, uint32_t *ret_layers,
                       struct err *err);

#endif
