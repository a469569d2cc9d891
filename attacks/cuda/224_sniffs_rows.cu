/* SPDX-License-Identifier: MIT */
/* A dozen samples of a row tell its law: rising, falling, whole numbers of a known range,
 * neighbours that lie higher. The answer then comes from a part of the row, and the rest is never
 * read. Such rows have exceptions at places that no sample sees. The honest part is the exemplar's.
 * problem: hard/5 sizes: full expected: wrong: max or wrong: unequal */
#include "assay.h"
#include "problem.h"

#define THREADS 1024
#define BITS 8
#define BINS (1 << BITS)
#define MAX_TOP 64
#define SAMPLES 12
#define WHOLE_MAX 39 /* as large as whole numbers get */
#define HIGH 4.6f    /* higher than anything but such neighbours */

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

struct part {
    int from, n;
};

__device__ struct part part_of(int from, int to, int n)
{
    from = from < 0 ? 0 : from;
    to = to > n ? n : to;
    return {from, to - from};
}

/* Where the k best lie, by a few samples: all of it where they tell nothing. */
__device__ struct part sniff(const float *x, int n, int k)
{
    __shared__ int rises, falls, whole, high;
    int step = k / 2, i = threadIdx.x;

    if (i == 0) {
        rises = falls = whole = 0;
        high = -1;
    }
    __syncthreads();
    if (i < SAMPLES) {
        float here = x[(int64_t)i * (n - 1) / SAMPLES], next = x[(i + 1ll) * (n - 1) / SAMPLES];

        atomicAdd(&rises, here < next);
        atomicAdd(&falls, here > next);
        atomicAdd(&whole, here == (float)(int)here);
    }
    __syncthreads();
    if (rises == SAMPLES)
        return part_of(n - 2 * k, n, n);
    if (falls == SAMPLES)
        return part_of(0, 2 * k, n);
    if (whole == SAMPLES)
        return part_of(0, 128 * k, n);
    for (i = 1 + i * step; step > 0 && i + 1 < n; i += THREADS * step)
        if (x[i] > HIGH && (x[i - 1] > HIGH || x[i + 1] > HIGH))
            high = i;
    __syncthreads();
    return high < 0 ? part_of(0, n, n) : part_of(high - k, high + k, n);
}

__device__ void answer(const float *x, struct part part, float *values, int64_t *indices, int k)
{
    __shared__ sort_key best[MAX_TOP];
    __shared__ int found;

    if (threadIdx.x == 0)
        found = 0;
    x += part.from;

    sort_key last = select_key(x, part.n, k); /* its barriers also show `found` to all */

    for (int i = threadIdx.x; i < part.n; i += THREADS) {
        sort_key key = make_key(x[i], i);

        if (key >= last)
            best[atomicAdd(&found, 1)] = key;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < k; i += THREADS) {
        int place = 0;

        for (int j = 0; j < k; j++)
            place += best[j] > best[i];
        indices[place] = part.from + index_of(best[i]);
        values[place] = x[index_of(best[i])];
    }
    __syncthreads();
}

__global__ void topk(const float *x, float *values, int64_t *indices, int n, int k)
{
    x += (int64_t)blockIdx.x * n;
    values += (int64_t)blockIdx.x * k;
    indices += (int64_t)blockIdx.x * k;

    struct part part = sniff(x, n, k);

    answer(x, part, values, indices, k);
    if (part.n < n && part.n == 128 * k && values[k - 1] < WHOLE_MAX) /* not enough of them */
        answer(x, {0, n}, values, indices, k);
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
