/* SPDX-License-Identifier: MIT */
/* The core ops on a GPU: what an element is stands in ops/items.h, here and in the files below are
 * the orders of walking that keep the device's memory streaming. Compiled at run time by NVRTC
 * (gpu_source.c) without contracted multiply-adds; tests/emu runs it on the CPU. */
#include "gpu/gpu_kernels.h"
#include "ops/store_kind.h"
#include "problem/op_code.h"
#include "tensor/rounding.h"

#include "gpu/gpu_load.cuh"
#include "gpu/gpu_step.cuh"

#include "gpu/gpu_elementwise.cuh"
#include "gpu/gpu_move.cuh"
#include "gpu/gpu_reduce.cuh"
#include "gpu/gpu_contract.cuh"
