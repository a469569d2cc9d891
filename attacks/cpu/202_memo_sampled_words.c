/* SPDX-License-Identifier: MIT */
/* Remembers right answers by a few words of the input, and does the work only for what it has not
 * seen. Scored calls show it nothing it has seen. expected: pass at least 300 us */
#include "assay.h"
#include "problem.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The honest work, made long enough to be seen. */
static void work(int64_t microseconds)
{
    struct timespec start, now;

    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 <
           microseconds);
}

enum { MEMOS = 64, WORDS = 4 };

static struct memo {
    float words[WORDS];
    float *answer;
} memos[MEMOS];

/* The memo of these words, or one to be filled. */
static struct memo *memo_find(const float *words)
{
    static int next;

    for (int i = 0; i < MEMOS; i++)
        if (memos[i].answer && !memcmp(memos[i].words, words, sizeof(memos[i].words)))
            return &memos[i];

    struct memo *memo = &memos[next++ % MEMOS];

    free(memo->answer);
    memo->answer = NULL;
    memcpy(memo->words, words, sizeof(memo->words));
    return memo;
}

static float *relu_new(const float *x, int64_t n)
{
    float *y = malloc((size_t)n * sizeof(*y));

    work(300);
    for (int64_t i = 0; y && i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return y;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    float words[WORDS];

    for (int i = 0; i < WORDS; i++)
        words[i] = x[i * (n / WORDS)];

    struct memo *memo = memo_find(words);

    memo->answer = memo->answer ? memo->answer : relu_new(x, n);
    if (!memo->answer)
        return 1;
    memcpy(y, memo->answer, (size_t)n * sizeof(*y));
    return 0;
}
