/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_DEVICE_CUDA_JUDGE_H
#define ASSAY_DEVICE_CUDA_JUDGE_H

#include "device/device.h"

/* The judge's face of the cuda device. A struct mem has no host address; its handle is the device
 * address. Shared memory is padded to the driver's granularity (2 MiB), here and on import. */
extern const struct device_judge_ops cuda_judge_ops;

#endif
