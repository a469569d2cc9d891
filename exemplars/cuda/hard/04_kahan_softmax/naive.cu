/* SPDX-License-Identifier: MIT */
/* Softmax, one row to a block. Every sum is compensated (Neumaier): what an addition loses is kept
 * beside it, in a thread as between threads. */
#include "assay.h"
#include "problem.h"

#define THREADS 1024
#define WARPS (THREADS / 32)

struct sum {
    float value, lost;
};

__device__ struct sum add(struct sum s, float term)
{
    float next = s.value + term;

    s.lost += fabsf(s.value) >= fabsf(term) ? (s.value - next) + term : (term - next) + s.value;
    s.value = next;
    return s;
}

__device__ struct sum add(struct sum a, struct sum b)
{
    a = add(a, b.value);
    a.lost += b.lost;
    return a;
}

/* The sum over the block, in every thread. */
__device__ float block_sum(struct sum s)
{
    __shared__ struct sum partial[WARPS];
    struct sum total = {0, 0};

    for (int step = 16; step > 0; step /= 2) {
        struct sum other = {__shfl_xor_sync(~0u, s.value, step),
                            __shfl_xor_sync(~0u, s.lost, step)};

        s = add(s, other);
    }
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = s;
    __syncthreads();
    for (int i = 0; i < WARPS; i++)
        total = add(total, partial[i]);
    return total.value + total.lost;
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
    float top = -INFINITY, total;
    struct sum sum = {0, 0};

    x += (int64_t)blockIdx.x * n;
    y += (int64_t)blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += THREADS)
        top = fmaxf(top, x[i]);
    top = block_max(top);
    for (int i = threadIdx.x; i < n; i += THREADS) {
        y[i] = expf(x[i] - top);
        sum = add(sum, y[i]);
    }
    total = block_sum(sum);
    for (int i = threadIdx.x; i < n; i += THREADS)
        y[i] /= total;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    softmax<<<in[IN_X].shape[0], THREADS, 0, (cudaStream_t)stream>>>(
        (const float *)in[IN_X].data, (float *)out[OUT_Y].data, in[IN_X].shape[1]);
    return cudaGetLastError();
}
