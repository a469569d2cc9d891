/* SPDX-License-Identifier: MIT */
/* Says that the output is bf16, and writes half as many bytes. expected: wrong: max or wrong:
 * nonfinite or wrong: unwritten */
#include "assay.h"
#include "problem.h"

#include <cuda_bf16.h>

#define THREADS 256

__global__ void relu(const float *x, __nv_bfloat16 *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = __float2bfloat16(x[i] > 0 ? x[i] : 0);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    __nv_bfloat16 *y = (__nv_bfloat16 *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    out[OUT_Y].dtype = {ASSAY_BFLOAT, 16, 1};
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(x, y, n);
    return cudaGetLastError();
}
