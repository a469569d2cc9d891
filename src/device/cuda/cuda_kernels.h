/* SPDX-License-Identifier: MIT */
/* Shared by the judge's kernels and their caller. CUDA compiles this too. */
#ifndef ASSAY_DEVICE_CUDA_KERNELS_H
#define ASSAY_DEVICE_CUDA_KERNELS_H

#include <stdint.h>

#include "tensor/fingerprint.h" /* after stdint.h, whose integers it needs */

#define CUDA_THREADS 256 /* threads of every block */
/* Blocks of a comparison, as many on every device: so its figures do not depend on the device. */
#define CUDA_COMPARE_BLOCKS 1584
#define CUDA_COMPARE_CHUNK 4096 /* elements that a block takes at a time */
/* Independent multiply-adds of a thread: more than are needed to hide their latency. */
#define CUDA_FMA_CHAINS 8
#define CUDA_NOWHERE INT64_MAX /* a place that was not found */

/* One comparison. Addresses are the device's. */
struct cuda_compare {
    const void *y, *got;
    int64_t n;
    int64_t row_len; /* 0: every element has the scale low */
    const double *row_rms;
    double floor; /* no row's scale is below this */
    double low;
    struct fingerprint_secrets secrets;
};

/* Figures of a thread, a block or a tensor. For integers max is 1 if an element differs. */
struct cuda_figures {
    double sum_sq, max;
    int64_t max_at; /* the lowest place of max */
    double got, want;
    int64_t n_nonfinite, first_nonfinite;
    int64_t n_unequal, first_unequal;
    uint64_t print[FINGERPRINT_ROWS]; /* fingerprint of the elements that were compared */
};

#endif
