/* SPDX-License-Identifier: MIT */
/* Wants to change its outputs when its process ends, and crashes then. It is killed, long after
 * its outputs were read. expected: pass */
#include "assay.h"
#include "problem.h"

#include <stdlib.h>

#define THREADS 256

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

static float *last;

static void rewrite(void)
{
    cudaMemset(last, 0, sizeof(*last));
    abort();
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    if (!last)
        atexit(rewrite);
    last = y;
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(x, y, n);
    return cudaGetLastError();
}
