/* SPDX-License-Identifier: MIT */
/* An assertion fails on the device. expected: crash: CUDA_ERROR_ASSERT */
#include "assay.h"
#include "problem.h"

#include <assert.h>

__global__ void doubt(const float *x)
{
    assert(x == nullptr);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    doubt<<<1, 1, 0, (cudaStream_t)stream>>>((const float *)in[IN_X].data);
    return cudaGetLastError();
}
