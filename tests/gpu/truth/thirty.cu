// SPDX-License-Identifier: MIT
// Honest, in 30 launches a call: a slice each.
#include "assay.h"
#include "problem.h"

#define LAUNCHES 30
#define THREADS 256

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0], slice = (n + LAUNCHES - 1) / LAUNCHES;
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;

    for (int64_t at = 0; at < n; at += slice) {
        int64_t left = n - at < slice ? n - at : slice;

        relu<<<(left + THREADS - 1) / THREADS, THREADS, 0, (cudaStream_t)stream>>>(x + at, y + at,
                                                                                   left);
    }
    return cudaGetLastError();
}
