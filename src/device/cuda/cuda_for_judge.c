/* SPDX-License-Identifier: MIT */
#include "device/cuda/cuda_device.h"
#include "device/cuda/cuda_judge.h"

const struct device device_cuda = {CUDA_DEVICE, .judge = &cuda_judge_ops};
