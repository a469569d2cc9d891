/* SPDX-License-Identifier: MIT */
/* Brings functions of the C library and the runner under their own names, in case a clock is
 * looked up anew. expected: pass at least 300 us */
#include "assay.h"
#include "problem.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int real_clock(clockid_t id, struct timespec *t)
{
    return (int)syscall(SYS_clock_gettime, id, t);
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *t)
{
    (void)id;
    *t = (struct timespec){1, 1};
    return 0;
}

__attribute__((visibility("default"))) uint64_t clock_ns(void);
uint64_t clock_ns(void)
{
    return 1;
}

/* The honest work, made long enough to be seen. */
static void work(int64_t microseconds)
{
    struct timespec start, now;

    real_clock(CLOCK_MONOTONIC, &start);
    do
        real_clock(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 <
           microseconds);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    work(300);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
