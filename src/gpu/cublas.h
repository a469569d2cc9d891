/* SPDX-License-Identifier: MIT */
/* cuBLAS by dlopen, with prototypes of our own. It multiplies matrices of doubles, which may be
 * summed in any order. */
#ifndef ASSAY_GPU_CUBLAS_H
#define ASSAY_GPU_CUBLAS_H

#include "device/cuda/cuda_driver.h"
#include "gpu/gpu_kernels.h"

struct cublas;

/* The path of the library: $ASSAY_CUBLAS, else the one that cuda_library.h finds. NULL: there is
 * none. The caller frees it. */
char *cublas_library(void);
/* Opens cuBLAS on this stream of the current context. NULL: there is no cuBLAS; the caller does
 * without. */
struct cublas *cublas_open(CUstream stream);
void cublas_close(struct cublas *b);             /* NULL is fine */
const char *cublas_name(const struct cublas *b); /* "cuBLAS 13.1"; "none" if b is NULL */
/* Whether cuBLAS can express a product: rows or columns of each matrix are contiguous. */
bool cublas_takes(const struct gpu_product *q);
int cublas_product(struct cublas *b, const struct gpu_product *q, struct err *err);

#endif
