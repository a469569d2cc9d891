/* SPDX-License-Identifier: MIT */
#include "device/cuda/cuda_device.h"
#include "device/cuda/cuda_judge.h"
#include "gpu/gpu.h"

const struct device device_cuda = {CUDA_DEVICE, .judge = &cuda_judge_ops,
                                   .open_engine = gpu_engine_open};
