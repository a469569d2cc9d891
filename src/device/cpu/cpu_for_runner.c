/* SPDX-License-Identifier: MIT */
#include "device/cpu/cpu_device.h"

const struct device device_cpu = {CPU_DEVICE, .runner = &cpu_runner_ops};
