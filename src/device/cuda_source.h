/* SPDX-License-Identifier: MIT */
/* The judge's kernels as text, with every header they include. */
#ifndef ASSAY_DEVICE_CUDA_SOURCE_H
#define ASSAY_DEVICE_CUDA_SOURCE_H

#include "device/nvrtc.h"

/* For this architecture (90 for sm_90); everything in it is static. */
struct nvrtc_program cuda_source(int sm);

#endif
