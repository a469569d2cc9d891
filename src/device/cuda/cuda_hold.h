/* SPDX-License-Identifier: MIT */
/* The waiting kernel of a CUDA runner. It starts when the judge has the content ready, fills the
 * device and spins until the judge releases it on the shared page. So work that a candidate queued
 * behind it runs without the host's gaps. */
#ifndef ASSAY_DEVICE_CUDA_HOLD_H
#define ASSAY_DEVICE_CUDA_HOLD_H

#include "device/cuda/cuda_driver.h"
#include "device/device.h"

struct cuda_hold {
    const struct cuda_driver *cu; /* not owned */
    CUfunction kernel;            /* NULL: nothing can be held */
    char *page;                   /* not owned: the shared page */
    CUdeviceptr page_at;          /* address of the page on the device */
    CUdeviceptr own;              /* six words of device memory */
    CUdeviceptr sweep;            /* memory that the kernel reads before it waits */
    uint64_t sweep_bytes;         /* bytes of sweep; 0: none */
    CUdeviceptr stamp;            /* memory for the time at which the kernel ends; 0: none */
    unsigned blocks, threads;     /* as many as fit at once */
};

/* The kernel's text (workers/assay_worker/hold.ptx), for the driver to assemble: a runner has no
 * compiler. */
extern const char cuda_hold_ptx[];

/* Loads the kernel into the current context, which owns all that is made here. */
int cuda_hold_open(struct cuda_hold *h, const struct cuda_driver *cu, CUdevice device, void *page,
                   size_t bytes, struct err *err);
/* Names the memory that the kernel reads from now on before it says that it waits. */
void cuda_hold_sweep(struct cuda_hold *h, const void *base, size_t bytes);
/* Queues the kernel. Work that is queued on this stream afterwards runs after the release, or
 * DEVICE_HOLD_MS after the content was ready. */
CUresult cuda_hold_begin(const struct cuda_hold *h, const struct device_hold *hold,
                         CUstream stream);

#endif
