/* SPDX-License-Identifier: MIT */
/* Evaluates graphs on the judge's GPU, from the same op source as the host (ops/items.h), which
 * NVRTC compiles. */
#ifndef ASSAY_GPU_GPU_H
#define ASSAY_GPU_GPU_H

#include "ops/ops.h"

/* Opens an engine. cuda_judge_ctx: the context from device_cuda.judge->open; it must outlive the
 * engine. The kernels are compiled the first time on a machine, later they come from the cache
 * folder. Sources and outputs are device addresses (struct mem's handle) as pointers. All work runs
 * on the judge's stream and has ended when eval returns. */
int gpu_engine_open(void *cuda_judge_ctx, struct ops_engine *ret, struct err *err);
void gpu_engine_close(struct ops_engine *e); /* a zeroed engine is fine */
/* Gives memory that is kept for the next evaluation back to the device. */
void gpu_engine_trim(struct ops_engine *e);
/* Most bytes that the engine held at once since it was opened or last asked, besides sources and
 * outputs. */
double gpu_engine_peak(struct ops_engine *e);
/* Loads the library that multiplies matrices of doubles and returns its name: "cuBLAS 13.1", or
 * "none". */
const char *gpu_engine_blas(struct ops_engine *e);

#endif
