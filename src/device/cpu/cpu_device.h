/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_DEVICE_CPU_DEVICE_H
#define ASSAY_DEVICE_CPU_DEVICE_H

#include "device/device.h"

extern const struct device_judge_ops cpu_judge_ops;
extern const struct device_gauges cpu_gauges;
extern const struct device_runner_ops cpu_runner_ops;
int cpu_probe(const char **ret_why);

#define CPU_DEVICE                                                                    \
    .api = DEVICE_API, .name = "cpu", .summary = "C kernels on this machine's cores", \
    .clock = CLOCK_JUDGE, .pins_cores = true, .probe = cpu_probe

#endif
