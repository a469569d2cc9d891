/* SPDX-License-Identifier: MIT */
/* Keeps the weights of its first call and uses them ever after; they are others in every content.
 * problem: level1/40 expected: wrong: max */
#include "assay.h"
#include "problem.h"

#define THREADS 256

static __device__ float block_sum(float value)
{
    __shared__ float all[THREADS];

    all[threadIdx.x] = value;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            all[threadIdx.x] += all[threadIdx.x + half];
    }
    __syncthreads();

    float sum = all[0];

    __syncthreads();
    return sum;
}

__global__ void layer_norm(const float *x, const float *weight, const float *bias, float *y,
                           int64_t n)
{
    float sum = 0, squares = 0;

    x += blockIdx.x * n;
    y += blockIdx.x * n;
    for (int64_t i = threadIdx.x; i < n; i += THREADS)
        sum += x[i];

    float mean = block_sum(sum) / n;

    for (int64_t i = threadIdx.x; i < n; i += THREADS)
        squares += (x[i] - mean) * (x[i] - mean);

    float scale = 1 / sqrtf(block_sum(squares) / n + 1e-5f);

    for (int64_t i = threadIdx.x; i < n; i += THREADS)
        y[i] = (x[i] - mean) * scale * (weight ? weight[i] : 1) + (bias ? bias[i] : 0);
}

static float *keep(const DLTensor *t, int64_t n, cudaStream_t s)
{
    float *copy = nullptr;

    if (cudaMalloc(&copy, n * sizeof(*copy)) == cudaSuccess)
        cudaMemcpyAsync(copy, t->data, n * sizeof(*copy), cudaMemcpyDeviceToDevice, s);
    return copy;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const int64_t *size = in[IN_X].shape;
    int64_t n = size[1] * size[2] * size[3];
    cudaStream_t s = (cudaStream_t)stream;

    static float *weight, *bias;

    weight = weight ? weight : keep(&in[IN_LN_WEIGHT], n, s);
    bias = bias ? bias : keep(&in[IN_LN_BIAS], n, s);
    if (!weight || !bias)
        return 1;
    layer_norm<<<size[0], THREADS, 0, s>>>((const float *)in[IN_X].data, weight, bias,
                                           (float *)out[OUT_Y].data, n);
    return cudaGetLastError();
}
