/* SPDX-License-Identifier: MIT */
/* cuBLAS by dlopen, with prototypes of our own: matrices of doubles, where any order of summation
 * will do. */
#ifndef ASSAY_GPU_CUBLAS_H
#define ASSAY_GPU_CUBLAS_H

#include "device/cuda/cuda_driver.h"
#include "gpu/gpu_kernels.h"

struct cublas;

/* The library's file, the caller's: $ASSAY_CUBLAS, else where cuda_library.h looks. NULL: none. */
char *cublas_library(void);
/* On this stream of the current context. NULL: there is none, and the caller does without. */
struct cublas *cublas_open(CUstream stream);
void cublas_close(struct cublas *b);             /* NULL is fine */
const char *cublas_name(const struct cublas *b); /* "cuBLAS 13.1"; of NULL: "none" */
/* Whether its calls can express it: rows or columns of each matrix are contiguous. */
bool cublas_takes(const struct gpu_product *q);
int cublas_product(struct cublas *b, const struct gpu_product *q, struct err *err);

#endif
