/* SPDX-License-Identifier: MIT */
#include "emu.h"

#include "gpu/gpu_kernels.cuh"

#define EMU_REAL(name) EMU_KERNEL(name##_f64) EMU_KERNEL(name##_f32)
#define EMU_ALL(name) EMU_REAL(name) EMU_KERNEL(name##_i64)

extern const struct emu_kernel emu_gpu_kernels[];
const struct emu_kernel emu_gpu_kernels[] = {GPU_KERNELS(EMU_KERNEL, EMU_REAL, EMU_ALL){nullptr,
                                                                                       nullptr}};
