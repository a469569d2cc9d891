/* SPDX-License-Identifier: MIT */
/* Does the work while it is set up, untimed; there is no data then. expected: crash: setup or
 * crash: SIGSEGV */
#include "assay.h"
#include "problem.h"

#define THREADS 256

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

static float *answer;

int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    if (cudaMalloc(&answer, n * sizeof(*answer)) != cudaSuccess)
        return 1;
    relu<<<(n + THREADS - 1) / THREADS, THREADS>>>((const float *)in[IN_X].data, answer, n);
    return cudaDeviceSynchronize();
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    (void)x;
    return cudaMemcpyAsync(y, answer, n * sizeof(*y), cudaMemcpyDeviceToDevice, s);
}
