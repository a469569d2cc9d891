/* SPDX-License-Identifier: MIT */
/* A ReLU that works for WORK_US, all of it between go and done. bench/lies_cpu compares the lying
 * candidates with it. */
#include "assay.h"
#include "problem.h"

#include <time.h>

static void work(int64_t microseconds)
{
    struct timespec start, now;

    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 <
           microseconds);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    work(WORK_US);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
