/* SPDX-License-Identifier: MIT */
/* An honest ReLU that takes 110 us longer than it has to: the control for 228. expected: pass */
#include "assay.h"
#include "problem.h"

#define THREADS 256

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

/* The honest work, made long enough to be seen. */
__global__ void work(unsigned long long nanoseconds)
{
    unsigned long long start, now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < nanoseconds);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    work<<<1, 1, 0, s>>>(110000);
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>((const float *)in[IN_X].data,
                                                         (float *)out[OUT_Y].data, n);
    return cudaGetLastError();
}
