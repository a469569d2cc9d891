/* SPDX-License-Identifier: MIT */
#include "device/cpu/cpu_device.h"

int cpu_probe(const char **ret_why)
{
    (void)ret_why;
    return 1;
}
