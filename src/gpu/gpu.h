/* SPDX-License-Identifier: MIT */
/* Evaluates graphs on the judge's GPU, from the same op source as the host (ops/items.h), which
 * NVRTC compiles. */
#ifndef ASSAY_GPU_GPU_H
#define ASSAY_GPU_GPU_H

#include "ops/ops.h"

/* cuda_judge_ctx: what device_cuda.judge->open gave; it must outlive the engine. The first time on
 * a machine the kernels are compiled, then they come from the cache folder. Sources and outputs are
 * device addresses (struct mem's handle) as pointers. Everything runs on the judge's stream and has
 * ended when eval returns. */
int gpu_engine_open(void *cuda_judge_ctx, struct ops_engine *ret, struct err *err);
void gpu_engine_close(struct ops_engine *e); /* a zeroed one is fine */
/* Memory it keeps for the next evaluation goes back to the device. */
void gpu_engine_trim(struct ops_engine *e);
/* Most bytes it held at once since it was opened or last asked, besides sources and outputs. */
double gpu_engine_peak(struct ops_engine *e);
/* "cuBLAS 13.1", or "none": what multiplies matrices of doubles. Loads it. */
const char *gpu_engine_blas(struct ops_engine *e);

#endif
