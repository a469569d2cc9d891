/* SPDX-License-Identifier: MIT */
/* OpenBLAS, if there is one: loaded at run time for the first product that is worth it. */
#ifndef ASSAY_OPS_BLAS_H
#define ASSAY_OPS_BLAS_H

#include "ops/item_args.h"

#include <stdbool.h>

/* The most threads that may be inside blas_dgemm or blas_sgemm at a time: OpenBLAS ends the process
 * when its table of buffers is full (two per thread that it was built for, 64 in Debian). */
#define BLAS_MAX_CALLERS 64

/* Whether blas_dgemm should do a product: the job that it is part of has enough FLOPs, the sizes
 * fit, and the library is there. */
bool blas_wanted(const struct gemm *g, double flops);
/* Computes a product on the calling thread alone. k.first is ignored; c_col is 1, and each operand
 * is contiguous along one of its axes. */
void blas_dgemm(const struct gemm *g, const double *a, const double *b, double *c);

/* Whether blas_sgemm should do a product of floats: any whose sizes fit, after
 * ops_blas_for_floats(). */
bool blas_wanted_for_floats(const struct gemm *g);
void blas_sgemm(const struct gemm *g, const float *a, const float *b, float *c);

#endif
