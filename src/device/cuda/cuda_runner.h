/* SPDX-License-Identifier: MIT */
/* The runner's face of the cuda device. */
#ifndef ASSAY_DEVICE_CUDA_RUNNER_H
#define ASSAY_DEVICE_CUDA_RUNNER_H

#include "device/device.h"

extern const struct device_runner_ops cuda_runner_ops;

/* Of whoever is timed on a GPU. A context's queues to the device are most of what it costs: with
 * two, and one for copies, it is made and closed in 110 ms where the usual eight take 210 (H200).
 */
#define CUDA_QUEUES_ENV "CUDA_DEVICE_MAX_CONNECTIONS=2"
#define CUDA_COPY_QUEUES_ENV "CUDA_DEVICE_MAX_COPY_CONNECTIONS=1"

#endif
