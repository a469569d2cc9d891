/* SPDX-License-Identifier: MIT */
/* One row to a block. Every element is a key that no other has: its value in an order that integers
 * keep, then its index turned round, so that of equal values the lower index is the larger key. The
 * k-th largest key is found eight bits at a time, and the k keys from there on are put in order. */
#include "assay.h"
#include "problem.h"

#define THREADS 1024
#define BITS 8
#define BINS (1 << BITS)
#define MAX_TOP 64

typedef unsigned long long sort_key;

__device__ sort_key make_key(float value, int index)
{
    uint32_t bits = __float_as_uint(value + 0.0f); /* -0 is 0 */

    bits ^= bits >> 31 ? ~0u : 1u << 31;
    return (sort_key)bits << 32 | (uint32_t)~index;
}

__device__ int index_of(sort_key key)
{
    return ~(int)(uint32_t)key;
}

/* Counts the keys that agree with `prefix` above the digit at `shift`, by that digit. */
__device__ void count_digits(const float *x, int n, sort_key prefix, int shift, int *bins)
{
    for (int i = threadIdx.x; i < BINS; i += THREADS)
        bins[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += THREADS) {
        sort_key key = make_key(x[i], i);

        if (shift + BITS == 64 || key >> (shift + BITS) == prefix >> (shift + BITS))
            atomicAdd(&bins[key >> shift & (BINS - 1)], 1);
    }
    __syncthreads();
}

/* The k-th largest key, k counted from 1. */
__device__ sort_key select_key(const float *x, int n, int k)
{
    __shared__ int bins[BINS];
    __shared__ int digit, left;
    sort_key prefix = 0;

    for (int shift = 64 - BITS; shift >= 0; shift -= BITS) {
        count_digits(x, n, prefix, shift, bins);
        if (threadIdx.x == 0) {
            digit = BINS - 1;
            left = k;
            for (; bins[digit] < left; digit--)
                left -= bins[digit];
        }
        __syncthreads();
        prefix |= (sort_key)digit << shift;
        k = left;
    }
    return prefix;
}

__global__ void topk(const float *x, float *values, int64_t *indices, int n, int k)
{
    __shared__ sort_key best[MAX_TOP];
    __shared__ int found;

    x += (int64_t)blockIdx.x * n;
    values += (int64_t)blockIdx.x * k;
    indices += (int64_t)blockIdx.x * k;
    if (threadIdx.x == 0)
        found = 0;

    sort_key last = select_key(x, n, k); /* its barriers also show `found` to all */

    for (int i = threadIdx.x; i < n; i += THREADS) {
        sort_key key = make_key(x[i], i);

        if (key >= last)
            best[atomicAdd(&found, 1)] = key;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < k; i += THREADS) {
        int place = 0;

        for (int j = 0; j < k; j++)
            place += best[j] > best[i];
        indices[place] = index_of(best[i]);
        values[place] = x[index_of(best[i])];
    }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int rows = in[IN_X].shape[0], n = in[IN_X].shape[1], k = out[OUT_VALUES].shape[1];

    if (k > MAX_TOP)
        return 1;
    topk<<<rows, THREADS, 0, (cudaStream_t)stream>>>((const float *)in[IN_X].data,
                                                     (float *)out[OUT_VALUES].data,
                                                     (int64_t *)out[OUT_INDICES].data, n, k);
    return cudaGetLastError();
}
