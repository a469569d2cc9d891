/* SPDX-License-Identifier: MIT */
#ifndef ASSAY_DEVICE_CUDA_DEVICE_H
#define ASSAY_DEVICE_CUDA_DEVICE_H

#include "device/device.h"

extern const char *const cuda_read_paths[], *const cuda_write_paths[];
extern const char *const cuda_runner_env[], *const cuda_worker_env[];
extern const struct device_gauges cuda_gauges;
extern const struct device_library cuda_libraries[];
int cuda_probe(const char **ret_why);
/* The name of an NVIDIA architecture by its compute capability: 8.9 is "89". From 9.0 on the name
 * stands for the architecture with its own instructions ("90a"): the code runs on it and on no
 * other. */
void cuda_arch(int major, int minor, char ret[DEVICE_ARCH_MAX]);

#define CUDA_DEVICE                                                                            \
    .api = DEVICE_API, .name = "cuda", .summary = "CUDA kernels on NVIDIA GPUs",               \
    .clock = CLOCK_CLAIM_AUDITED, .hold_ms = DEVICE_HOLD_MS, .probe = cuda_probe,              \
    .remedy = "install NVIDIA's current driver, or judge C kernels with --device cpu",         \
    .read_paths = cuda_read_paths, .write_paths = cuda_write_paths, .needs_ioctl = true,       \
    .needs_proc = true, .maps_beyond_memory = true, .opens_slowly = true, .torch_first = true, \
    .counts_device_memory = true, .runner_env = cuda_runner_env, .worker_env = cuda_worker_env

#endif
