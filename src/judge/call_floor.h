/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_JUDGE_CALL_FLOOR_H
#define ASSAY_JUDGE_CALL_FLOOR_H

#include "judge/station.h"

/* Measures calls of candidates that do nothing, on the same path as any candidate's, and fills the
 * figures of *ret about calls. *ret_layers: the sandbox layers of their runner. */
int call_floor_measure(const struct places *places, const struct device *device, int index,
                       const struct cpus *cpus, struct calibration *ret, uint32_t *ret_layers,
                       struct err *err);

#endif
