/* SPDX-License-Identifier: MIT */
/* The kernels that evaluate as text, with every header they include. */
#ifndef ASSAY_GPU_GPU_SOURCE_H
#define ASSAY_GPU_GPU_SOURCE_H

#include "device/cuda/nvrtc.h"

/* For this architecture (90 for sm_90); everything in it is static. */
struct nvrtc_program gpu_source(int sm);
/* A program of one pass (gpu_special_text), with the same headers; `text` stays the caller's. */
struct nvrtc_program gpu_special_source(const char *text, int sm);

#endif
