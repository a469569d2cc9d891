/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_JUDGE_CALL_FLOOR_H
#define ASSAY_JUDGE_CALL_FLOOR_H

#include "judge/station.h"

/* What calls of candidates that do nothing take, through the same path as any candidate's: fills
 * the figures of *ret about calls. *ret_layers: the sandbox layers their runner had. */
int call_floor_measure(const struct places *places, const struct device *device, int index,
                       const struct cpus *cpus, struct calibration *ret, uint32_t *ret_layers,
                       struct err *err);

#endif
