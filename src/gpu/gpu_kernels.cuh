/* SPDX-License-Identifier: MIT */
/* The core ops on a GPU. ops/items.h defines each element; the kernels in the files below walk in
 * an order that keeps the device's memory streaming. NVRTC compiles them at run time (gpu_source.c)
 * without contracted multiply-adds; tests/emu runs them on the CPU. */
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
