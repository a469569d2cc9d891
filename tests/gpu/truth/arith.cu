// SPDX-License-Identifier: MIT
// Compute-bound: ROUNDS dependent multiply-adds an element, that change nothing.
#include "assay.h"
#include "problem.h"

#ifndef ROUNDS
#define ROUNDS 64
#endif
#define THREADS 256

__global__ void arith_relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float v = x[i], sum = v * 1e-3f;

        for (int k = 0; k < ROUNDS; k++)
            sum = fmaf(sum, 0.999f, 1e-3f);
        y[i] = (v > 0 ? v : 0) + (sum > 1e30f ? 1 : 0); // never: it converges to one
    }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0];

    arith_relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, (cudaStream_t)stream>>>(
        (const float *)in[IN_X].data, (float *)out[OUT_Y].data, n);
    return cudaGetLastError();
}
