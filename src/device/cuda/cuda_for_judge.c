/* SPDX-License-Identifier: MIT */
#include "build/recipe.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/cuda_judge.h"
#include "gpu/gpu.h"

const struct device device_cuda = {
    CUDA_DEVICE,
    .judge = &cuda_judge_ops,
    .toolchains = (const struct toolchain *const[]){&toolchain_cuda, &toolchain_python, NULL},
    .shows_code = true,
    .gauges = &cuda_gauges,
    .libraries = cuda_libraries,
    .open_engine = gpu_engine_open};
