/* SPDX-License-Identifier: MIT */
#include "device/cuda/cuda_device.h"
#include "device/cuda/cuda_runner.h"

const struct device device_cuda = {CUDA_DEVICE, .runner = &cuda_runner_ops};
