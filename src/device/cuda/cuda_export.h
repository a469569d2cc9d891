/* SPDX-License-Identifier: MIT */
/* Memory of a runner's process, named so that the judge can open it. Only a runner does this: an
 * export can be opened by every process of the machine, so the judge has none. */
#ifndef ASSAY_DEVICE_CUDA_EXPORT_H
#define ASSAY_DEVICE_CUDA_EXPORT_H

#include "device/cuda/cuda_driver.h"
#include "device/device.h"

#define CUDA_EXPORTS 16

struct cuda_export {
    const struct cuda_driver *cu;                                         /* not owned */
    CUresult (*get_handle)(struct cu_ipc_handle *handle, CUdeviceptr at); /* NULL: no such call */
    /* Allocations that were named already. Naming one takes a driver tens of microseconds. */
    struct cuda_exported {
        CUdeviceptr base;
        size_t bytes;
        uint64_t
            id; /* the driver's number for the allocation: another one at this address differs */
        struct cu_ipc_handle handle;
    } known[CUDA_EXPORTS];
    unsigned n; /* allocations named so far */
};

void cuda_export_open(struct cuda_export *e, const struct cuda_driver *cu);
/* Names the memory at this address. -1: it is of a kind that cannot be shared. */
int cuda_export_name(struct cuda_export *e, const void *at, struct device_result *ret);

#endif
