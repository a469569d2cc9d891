/* SPDX-License-Identifier: MIT */
/* What the judge's kernels and their caller share. CUDA compiles this too. */
#ifndef ASSAY_DEVICE_CUDA_KERNELS_H
#define ASSAY_DEVICE_CUDA_KERNELS_H

#include <stdint.h>

#include "tensor/fingerprint.h" /* which finds the integers there */

#define CUDA_THREADS 256 /* of every block */
/* The figures of a comparison do not depend on the device: as many blocks everywhere. */
#define CUDA_COMPARE_BLOCKS 1584
#define CUDA_COMPARE_CHUNK 4096 /* elements that a block takes at a time */
#define CUDA_FMA_CHAINS                                                       \
    8 /* independent multiply-adds of a thread: more than their latency hides \
       */
#define CUDA_NOWHERE INT64_MAX /* the place of what was not found */

/* One comparison. Addresses are the device's. */
struct cuda_compare {
    const void *y, *got;
    int64_t n;
    int64_t row_len; /* 0: every element has low */
    const double *row_rms;
    double floor; /* no row's scale is below */
    double low;
    struct fingerprint_secrets secrets;
};

/* Of a thread, a block, a tensor. For integers max is 1 where an element differs. */
struct cuda_figures {
    double sum_sq, max;
    int64_t max_at; /* the lowest place of max */
    double got, want;
    int64_t n_nonfinite, first_nonfinite;
    int64_t n_unequal, first_unequal;
    uint64_t print[FINGERPRINT_ROWS]; /* of what was compared */
};

#endif
