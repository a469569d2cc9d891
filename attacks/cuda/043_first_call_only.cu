/* SPDX-License-Identifier: MIT */
/* Computes once and repeats its first answer ever after. expected: wrong: max */
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
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    static float *first;

    if (!first) {
        if (cudaMalloc(&first, n * sizeof(*y)) != cudaSuccess)
            return 1;
        relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(x, first, n);
    }
    return cudaMemcpyAsync(y, first, n * sizeof(*y), cudaMemcpyDeviceToDevice, s);
}
