/* SPDX-License-Identifier: MIT */
/* The work goes to a stream of the pool that nobody waits for, one of many, a new one in every
 * call. The content comes when that is over. expected: wrong: unwritten */
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

enum { STREAMS = 32 };

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    static cudaStream_t side[STREAMS];
    static int calls;
    cudaStream_t *mine = &side[calls++ % STREAMS];

    (void)s;
    if (!*mine && cudaStreamCreateWithFlags(mine, cudaStreamNonBlocking) != cudaSuccess)
        return 1;
    work<<<1, 1, 0, *mine>>>(300000);
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, *mine>>>(x, y, n);
    return cudaGetLastError();
}
