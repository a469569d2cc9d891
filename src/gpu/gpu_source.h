/* SPDX-License-Identifier: MIT */
/* The source text of the kernels that evaluate graphs, with every header that they include. */
#ifndef ASSAY_GPU_GPU_SOURCE_H
#define ASSAY_GPU_GPU_SOURCE_H

#include "device/cuda/nvrtc.h"

/* The program of all kernels for this architecture (90 for sm_90). Its strings are static. */
struct nvrtc_program gpu_source(int sm);
/* The program of one pass (gpu_special_text), with the same headers. The caller keeps `text`. */
struct nvrtc_program gpu_special_source(const char *text, int sm);

#endif
