/* SPDX-License-Identifier: MIT */
#include "build/recipe.h"
#include "device/cpu/cpu_device.h"

const struct device device_cpu = {
    CPU_DEVICE, .judge = &cpu_judge_ops, .gauges = &cpu_gauges,
    .toolchains = (const struct toolchain *const[]){&toolchain_c, &toolchain_python, NULL}};
