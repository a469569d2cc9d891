/* SPDX-License-Identifier: MIT */
/* Right in every element, and then destroys the context that it shares with the runner.
 * expected: crash: CUDA_ERROR_CONTEXT_IS_DESTROYED */
#include "assay.h"
#include "problem.h"

#define THREADS 256

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, (cudaStream_t)stream>>>(
        (const float *)in[IN_X].data, (float *)out[OUT_Y].data, n);
    cudaDeviceSynchronize();
    return cudaDeviceReset();
}
