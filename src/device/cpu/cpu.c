/* SPDX-License-Identifier: MIT */
#include "device/cpu/cpu_device.h"

static int cpu_probe(const char **ret_why)
{
    (void)ret_why;
    return 1;
}

const struct device device_cpu = {
    .api = DEVICE_API,
    .name = "cpu",
    .summary = "C kernels on this machine's cores",
    .suffixes = (const char *const[]){".c", NULL},
    .clock = CLOCK_JUDGE,
    .pins_cores = true,
    .probe = cpu_probe,
    .judge = &cpu_judge,
    .runner = &cpu_runner,
};
