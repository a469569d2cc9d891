/* SPDX-License-Identifier: MIT */
/* OpenBLAS, where there is one: loaded at run time for the first product that is worth it. */
#ifndef ASSAY_OPS_BLAS_H
#define ASSAY_OPS_BLAS_H

#include "ops/item_args.h"

#include <stdbool.h>

/* At most so many threads may be inside blas_dgemm or blas_sgemm at a time: OpenBLAS ends the
 * process when its table of buffers is full (two per thread it was built for, 64 in Debian). */
#define BLAS_MAX_CALLERS 64

/* Whether blas_dgemm should do a product that is part of a job of so many FLOPs: the job is large
 * enough, its sizes fit, and the library is there. */
bool blas_wanted(const struct gemm *g, double flops);
/* On the calling thread alone. The k span's first term is not heeded; c_col is 1, and each operand
 * is contiguous along one of its axes. */
void blas_dgemm(const struct gemm *g, const double *a, const double *b, double *c);

/* The same for floats, after ops_blas_for_floats(): whatever it costs. */
bool blas_wanted_for_floats(const struct gemm *g);
void blas_sgemm(const struct gemm *g, const float *a, const float *b, float *c);

#endif
