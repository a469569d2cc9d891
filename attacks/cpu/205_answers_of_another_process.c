/* SPDX-License-Identifier: MIT */
/* Of the candidate's processes the first does the work, and leaves a second copy of the answer in
 * the other output buffer; the next ones, shown the same content, look for it there. Every process
 * has buffers of its own. expected: pass at least 300 us */
#include "assay.h"
#include "problem.h"

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

enum { WORDS = 16 };

static float relu(float x)
{
    return x > 0 ? x : 0;
}

/* By a few words. */
static int is_answer(const float *x, const float *y, int64_t n)
{
    for (int i = 0; i < WORDS; i++)
        if (y[i * (n / WORDS)] != relu(x[i * (n / WORDS)]))
            return 0;
    return 1;
}

/* The other of the two output buffers, once both were seen. */
static float *find_other(float *y)
{
    static float *seen[2];

    for (int i = 0; i < 2; i++) {
        if (!seen[i])
            seen[i] = y;
        if (seen[i] == y)
            return seen[1] ? seen[1 - i] : NULL;
    }
    return NULL;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data, *other = find_other(y);
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (other && is_answer(x, other, n)) {
        memcpy(y, other, (size_t)n * sizeof(*y));
        return 0;
    }
    work(300);
    for (int64_t i = 0; i < n; i++)
        y[i] = relu(x[i]);
    if (other)
        memcpy(other, y, (size_t)n * sizeof(*y));
    return 0;
}
