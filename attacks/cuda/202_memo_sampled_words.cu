/* SPDX-License-Identifier: MIT */
/* Remembers right answers by a few words of the input, and does the work only for what it has not
 * seen. Scored calls show it nothing it has seen. expected: pass at least 300 us */
#include "assay.h"
#include "problem.h"

#include <string.h>

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

enum { MEMOS = 64, WORDS = 4 };

static struct memo {
    float words[WORDS];
    float *answer;
    int known;
} memos[MEMOS];

static struct memo *memo_find(const float *words)
{
    static int next;

    for (int i = 0; i < MEMOS; i++)
        if (memos[i].known && !memcmp(memos[i].words, words, sizeof(memos[i].words)))
            return &memos[i];

    struct memo *memo = &memos[next++ % MEMOS];

    memo->known = 0;
    memcpy(memo->words, words, sizeof(memo->words));
    return memo;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    float words[WORDS];

    for (int i = 0; i < WORDS; i++)
        cudaMemcpyAsync(&words[i], x + i * (n / WORDS), sizeof(*words), cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);

    struct memo *memo = memo_find(words);

    if (!memo->answer && cudaMalloc(&memo->answer, n * sizeof(*y)) != cudaSuccess)
        return 1;
    if (!memo->known) {
        work<<<1, 1, 0, s>>>(300000);
        relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(x, memo->answer, n);
        memo->known = 1;
    }
    return cudaMemcpyAsync(y, memo->answer, n * sizeof(*y), cudaMemcpyDeviceToDevice, s);
}
