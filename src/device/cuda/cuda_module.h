/* SPDX-License-Identifier: MIT */
/* In the runner: a candidate without host code (cuda_launch.h), loaded and launched. */
#ifndef ASSAY_DEVICE_CUDA_MODULE_H
#define ASSAY_DEVICE_CUDA_MODULE_H

#include "device/cuda/cuda_driver.h"
#include "device/device.h"

struct cuda_module;
struct cuda_launches; /* a module's launches, evaluated for one pair of arenas */

/* Loads a module from an artifact's bytes, and keeps a copy of them. It lives as long as the
 * process. */
int cuda_module_load(const struct cuda_driver *cu, const char *bytes, size_t len,
                     struct cuda_module **ret, struct err *err);
int cuda_launches_new(const struct cuda_module *m, const struct device_call *c,
                      struct cuda_launches **ret, struct err *err);
void cuda_launches_free(struct cuda_launches *l); /* NULL is fine */
/* Queues all launches on the stream, in order; returns the first error. */
CUresult cuda_launches_run(const struct cuda_launches *l, CUstream stream);

#endif
