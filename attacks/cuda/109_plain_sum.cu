/* SPDX-License-Identifier: MIT */
/* The compensated softmax without its compensation: a float lane to a thread, then a tree.
 * problem: hard/4 expected: wrong: max */
#include "assay.h"
#include "problem.h"

#define THREADS 128
#define WARPS (THREADS / 32)

/* The sum over the block, in every thread. */
__device__ float block_sum(float v)
{
    __shared__ float partial[WARPS];

    for (int step = 16; step > 0; step /= 2)
        v += __shfl_xor_sync(~0u, v, step);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int i = 0; i < WARPS; i++)
        v += partial[i];
    return v;
}

/* The maximum over the block, in every thread. */
__device__ float block_max(float v)
{
    __shared__ float partial[WARPS];

    for (int step = 16; step > 0; step /= 2)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, step));
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = v;
    __syncthreads();
    for (int i = 0; i < WARPS; i++)
        v = fmaxf(v, partial[i]);
    return v;
}

__global__ void softmax(const float *x, float *y, int n)
{
    float top = -INFINITY, sum = 0;

    x += (int64_t)blockIdx.x * n;
    y += (int64_t)blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += THREADS)
        top = fmaxf(top, x[i]);
    top = block_max(top);
    for (int i = threadIdx.x; i < n; i += THREADS) {
        y[i] = expf(x[i] - top);
        sum += y[i];
    }
    sum = block_sum(sum);
    for (int i = threadIdx.x; i < n; i += THREADS)
        y[i] /= sum;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    softmax<<<in[IN_X].shape[0], THREADS, 0, (cudaStream_t)stream>>>(
        (const float *)in[IN_X].data, (float *)out[OUT_Y].data, in[IN_X].shape[1]);
    return cudaGetLastError();
}
