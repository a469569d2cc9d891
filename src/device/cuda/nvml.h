/* SPDX-License-Identifier: MIT */
/* NVIDIA's management library by dlopen, with prototypes of our own: clocks, temperature, power and
 * why clocks are low. Nothing depends on it: if it is missing, states are unknown. */
#ifndef ASSAY_DEVICE_NVML_H
#define ASSAY_DEVICE_NVML_H

#include "device/device.h"

#define NVML_LIBRARY "libnvidia-ml.so.1"

struct nvml;

/* uuid: "GPU-...", as in device_info. NULL if there is no library, or it does not know the
 * device. */
struct nvml *nvml_open(const char *library, const char *uuid);
void nvml_close(struct nvml *n); /* NULL is fine */
/* Reads the device's state. A figure that the library or the device does not tell is -1; n may be
 * NULL. */
void nvml_state(const struct nvml *n, struct device_state *ret);

#endif
