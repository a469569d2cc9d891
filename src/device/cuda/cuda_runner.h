/* SPDX-License-Identifier: MIT */
/* The runner's face of the cuda device. */
#ifndef ASSAY_DEVICE_CUDA_RUNNER_H
#define ASSAY_DEVICE_CUDA_RUNNER_H

#include "device/device.h"

extern const struct device_runner_ops cuda_runner_ops;

#endif
