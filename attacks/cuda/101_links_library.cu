/* SPDX-License-Identifier: MIT */
/* Names a function of cuBLAS, which is not linked. expected: build_error: compiler */
#include "assay.h"
#include "problem.h"

extern "C" int cublasCreate_v2(void **handle);

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    void *handle;

    return cublasCreate_v2(&handle);
}
