/* SPDX-License-Identifier: MIT */
/* Layer norm over everything but the batch, one block to an element of it. The variance is
 * taken around the mean in a second pass: E[x^2] - mean^2 loses all digits when the mean is large.
 * Without host code. */
#include <stdint.h>

// assay: launch layer_norm grid=in0.shape[0] block=1024 args=in0,in1,in2,out0,in1.numel:i64

#define EPS 1e-5f
#define THREADS 1024
#define WARPS (THREADS / 32)

/* The sum over the block, in every thread. */
__device__ float block_sum(float v)
{
    __shared__ float partial[WARPS];

    for (int step = 16; step > 0; step /= 2)
        v += __shfl_xor_sync(~0u, v, step);
    __syncthreads(); /* the last round's readers are done */
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int i = 0; i < WARPS; i++)
        v += partial[i];
    return v;
}

extern "C" __global__ void layer_norm(const float *x, const float *weight, const float *bias,
                                      float *y, int64_t n)
{
    float sum = 0, sum_sq = 0;

    x += blockIdx.x * n;
    y += blockIdx.x * n;
    for (int64_t i = threadIdx.x; i < n; i += THREADS)
        sum += x[i];

    float mean = block_sum(sum) / n;

    for (int64_t i = threadIdx.x; i < n; i += THREADS)
        sum_sq += (x[i] - mean) * (x[i] - mean);

    float scale = 1 / sqrtf(block_sum(sum_sq) / n + EPS);

    for (int64_t i = threadIdx.x; i < n; i += THREADS)
        y[i] = (x[i] - mean) * scale * weight[i] + bias[i];
}
