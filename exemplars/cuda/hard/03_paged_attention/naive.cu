/* SPDX-License-Identifier: MIT */
/* One query head of one sequence to a block: its scores into shared memory, a token to a warp;
 * their softmax; then V weighted by it, the tokens in four stripes. Pages behind the end of a
 * sequence are never read. */
#include "assay.h"
#include "problem.h"

#include <cuda_bf16.h>

#define THREADS 256
#define WARPS (THREADS / 32)
#define MAX_PAIRS 64 /* of elements of a head */
#define STRIPES (THREADS / MAX_PAIRS)
#define MAX_SHARED_BYTES (40 << 10) /* 48 KiB need no asking; some of it is static here */

struct cache {
    const __nv_bfloat162 *data;
    const int32_t *table;
    int page, heads, pairs, pages; /* tokens of a page; pages of a sequence */
};

/* The key of a token's head; its value is behind it. */
__device__ const __nv_bfloat162 *token(const struct cache *c, int t, int head)
{
    int64_t page = c->table[blockIdx.y * c->pages + t / c->page];

    return c->data + ((page * c->page + t % c->page) * c->heads + head) * 2 * c->pairs;
}

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

/* In every lane of the warp. */
__device__ float dot(const __nv_bfloat162 *a, const __nv_bfloat162 *b, int pairs)
{
    float sum = 0;

    for (int i = threadIdx.x % 32; i < pairs; i += 32) {
        float2 x = __bfloat1622float2(a[i]), y = __bfloat1622float2(b[i]);

        sum += x.x * y.x + x.y * y.y;
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    return sum;
}

/* One pair of elements of the weighted sum of V to a thread, from one stripe of tokens. */
__device__ float2 weigh(const struct cache *c, const float *weights, int length, int head)
{
    int pair = threadIdx.x % MAX_PAIRS;
    float2 sum = {0, 0};

    for (int t = threadIdx.x / MAX_PAIRS; t < length && pair < c->pairs; t += STRIPES) {
        float2 value = __bfloat1622float2(token(c, t, head)[c->pairs + pair]);

        sum.x += weights[t] * value.x;
        sum.y += weights[t] * value.y;
    }
    return sum;
}

__global__ void attend(const __nv_bfloat162 *query, struct cache c, const int32_t *lengths,
                       __nv_bfloat162 *out)
{
    extern __shared__ float scores[];
    __shared__ float2 stripes[STRIPES][MAX_PAIRS];
    int head = blockIdx.x / (gridDim.x / c.heads), length = lengths[blockIdx.y];
    int stripe = threadIdx.x / MAX_PAIRS, pair = threadIdx.x % MAX_PAIRS;
    float scale = 1 / sqrtf(2 * c.pairs), max = -INFINITY, sum = 0;
    int64_t at = ((int64_t)blockIdx.y * gridDim.x + blockIdx.x) * c.pairs;

    for (int t = threadIdx.x / 32; t < length; t += WARPS) {
        float score = dot(query + at, token(&c, t, head), c.pairs) * scale;

        if (threadIdx.x % 32 == 0)
            scores[t] = score;
        max = fmaxf(max, score);
    }
    max = block_max(max); /* its barrier also shows all scores to every thread */
    for (int t = threadIdx.x; t < length; t += THREADS) {
        scores[t] = expf(scores[t] - max);
        sum += scores[t];
    }
    sum = block_sum(sum);
    stripes[stripe][pair] = weigh(&c, scores, length, head);
    __syncthreads();
    if (stripe == 0 && pair < c.pairs) {
        float2 mix = {0, 0};

        for (int i = 0; i < STRIPES; i++) {
            mix.x += stripes[i][pair].x;
            mix.y += stripes[i][pair].y;
        }
        out[at + pair] = __floats2bfloat162_rn(mix.x / sum, mix.y / sum);
    }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const DLTensor *query = &in[IN_QUERY], *cache = &in[IN_KV_CACHE], *table = &in[IN_BLOCK_TABLE];
    int sequences = query->shape[0], heads = query->shape[1], pages = table->shape[1];
    struct cache c = {(const __nv_bfloat162 *)cache->data,
                      (const int32_t *)table->data,
                      (int)cache->shape[1],
                      (int)cache->shape[2],
                      (int)query->shape[2] / 2,
                      pages};
    size_t shared_bytes = pages * c.page * sizeof(float);

    if (c.pairs > MAX_PAIRS || query->shape[2] % 2 || shared_bytes > MAX_SHARED_BYTES)
        return 1;
    attend<<<dim3(heads, sequences), THREADS, shared_bytes, (cudaStream_t)stream>>>(
        (const __nv_bfloat162 *)query->data, c, (const int32_t *)in[IN_SEQ_LENS].data,
        (__nv_bfloat162 *)out[OUT_OUT].data);
    return cudaGetLastError();
}
