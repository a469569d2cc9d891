/* SPDX-License-Identifier: MIT */
/* What cpu.c joins into one device. */
#ifndef ASSAY_DEVICE_CPU_DEVICE_H
#define ASSAY_DEVICE_CPU_DEVICE_H

#include "device/device.h"

extern const struct device_judge_ops cpu_judge;
extern const struct device_runner_ops cpu_runner;

#endif
