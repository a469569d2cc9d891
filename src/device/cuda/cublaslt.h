/* SPDX-License-Identifier: MIT */
/* cuBLASLt by dlopen, with prototypes of our own: the rates of tensor units are measured by the
 * vendor's own matrix product. Names and values are those of cublasLt.h (12.0 and later). */
#ifndef ASSAY_DEVICE_CUBLASLT_H
#define ASSAY_DEVICE_CUBLASLT_H

#include "device/cuda/cuda_driver.h"

typedef int cublasStatus_t; /* 0 is CUBLAS_STATUS_SUCCESS */
typedef struct cublasLtContext *cublasLtHandle_t;
typedef struct cublaslt_desc *cublasLtMatmulDesc_t;
typedef struct cublaslt_layout *cublasLtMatrixLayout_t;
typedef struct cublaslt_preference *cublasLtMatmulPreference_t;

/* cublasLtMatmulHeuristicResult_t */
struct cublaslt_choice {
    uint64_t algo[8];
    size_t workspace_bytes;
    cublasStatus_t state;
    float waves;
    int reserved[4];
};

enum { /* cudaDataType */
       CUDA_R_32F = 0,
       CUDA_R_64F = 1,
       CUDA_R_16F = 2,
       CUDA_R_8I = 3,
       CUDA_R_32I = 10,
       CUDA_R_16BF = 14,
       CUDA_R_8F_E4M3 = 28,
};
enum { /* cublasComputeType_t */
       CUBLAS_COMPUTE_32F = 68,
       CUBLAS_COMPUTE_64F = 70,
       CUBLAS_COMPUTE_32I = 72,
       CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};
#define CUBLAS_OP_T 1
#define CUBLASLT_MATMUL_DESC_TRANSA 3
#define CUBLASLT_MATMUL_DESC_A_SCALE_POINTER 17
#define CUBLASLT_MATMUL_DESC_B_SCALE_POINTER 18
#define CUBLASLT_MATMUL_DESC_FAST_ACCUM 25
#define CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES 1

/* Name and arguments of every call. To use another call: a line here. */
#define CUBLASLT_FUNCTIONS(F)                                                                  \
    F(cublasLtCreate, (cublasLtHandle_t * handle))                                             \
    F(cublasLtDestroy, (cublasLtHandle_t handle))                                              \
    F(cublasLtMatmulDescCreate, (cublasLtMatmulDesc_t * desc, int compute, int scale_type))    \
    F(cublasLtMatmulDescDestroy, (cublasLtMatmulDesc_t desc))                                  \
    F(cublasLtMatmulDescSetAttribute,                                                          \
      (cublasLtMatmulDesc_t desc, int attribute, const void *value, size_t bytes))             \
    F(cublasLtMatrixLayoutCreate,                                                              \
      (cublasLtMatrixLayout_t * layout, int type, uint64_t rows, uint64_t cols, int64_t ld))   \
    F(cublasLtMatrixLayoutDestroy, (cublasLtMatrixLayout_t layout))                            \
    F(cublasLtMatmulPreferenceCreate, (cublasLtMatmulPreference_t * preference))               \
    F(cublasLtMatmulPreferenceDestroy, (cublasLtMatmulPreference_t preference))                \
    F(cublasLtMatmulPreferenceSetAttribute,                                                    \
      (cublasLtMatmulPreference_t preference, int attribute, const void *value, size_t bytes)) \
    F(cublasLtMatmulAlgoGetHeuristic,                                                          \
      (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,           \
       cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,           \
       cublasLtMatmulPreference_t preference, int wanted, struct cublaslt_choice *ret,         \
       int *ret_n))                                                                            \
    F(cublasLtMatmul,                                                                          \
      (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,   \
       cublasLtMatrixLayout_t a_layout, const void *b, cublasLtMatrixLayout_t b_layout,        \
       const void *beta, const void *c, cublasLtMatrixLayout_t c_layout, void *d,              \
       cublasLtMatrixLayout_t d_layout, const uint64_t algo[8], void *workspace,               \
       size_t workspace_bytes, CUstream stream))

struct cublaslt {
#define CUBLASLT_FIELD(name, args) cublasStatus_t(*name) args;
    CUBLASLT_FUNCTIONS(CUBLASLT_FIELD)
#undef CUBLASLT_FIELD
};

/* Path of the library, which the caller frees: $ASSAY_CUBLASLT, else from cuda_library_find().
 * NULL: none. */
char *cublaslt_library(void);
/* Loads the library once per process. NULL with *ret_why (static text) if there is none. */
const struct cublaslt *cublaslt(const char **ret_why);

#endif
