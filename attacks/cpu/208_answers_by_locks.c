/* SPDX-License-Identifier: MIT */
/* Of the candidate's processes the first does the work and tells the others, by a lock on
 * /dev/null: where it lies says which content was seen, and what the loss is. Locks are refused,
 * and scored contents are one process's own. problem: level1/94 expected: pass at least 250 us */
#define _GNU_SOURCE 1
#include "assay.h"
#include "problem.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

static float mean_square(const float *a, const float *b, int64_t n)
{
    double sum = 0;

    work(300);
    for (int64_t i = 0; i < n; i++)
        sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return (float)(sum / (double)n);
}

/* Of the content: 31 bits, the upper half of a position. */
static uint32_t name_of(const float *x)
{
    uint32_t words[2];

    memcpy(words, x, sizeof(words));
    return (words[0] * 2654435761u ^ words[1] * 40503u) >> 1;
}

static int find(uint32_t name, float *ret_loss)
{
    struct flock lock = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start = (off_t)name << 32,
                         .l_len = (off_t)1 << 32};

    if (fcntl(STDIN_FILENO, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK)
        return 0;

    uint32_t bits = (uint32_t)lock.l_start;

    memcpy(ret_loss, &bits, sizeof(bits));
    return 1;
}

/* A lock for reading: /dev/null is open for nothing else. */
static void tell(uint32_t name, float loss)
{
    uint32_t bits;

    memcpy(&bits, &loss, sizeof(bits));

    struct flock lock = {.l_type = F_RDLCK,
                         .l_whence = SEEK_SET,
                         .l_start = (off_t)name << 32 | (off_t)bits,
                         .l_len = 1};

    fcntl(STDIN_FILENO, F_SETLK, &lock);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_PREDICTIONS].data;
    float *loss = out[OUT_LOSS].data;
    int64_t n = in[IN_PREDICTIONS].shape[0] * in[IN_PREDICTIONS].shape[1];
    uint32_t name = name_of(x);

    (void)n_in, (void)n_out, (void)stream;
    if (find(name, loss)) {
        work(30); /* not faster than memory */
        return 0;
    }
    *loss = mean_square(x, in[IN_TARGETS].data, n);
    tell(name, *loss);
    return 0;
}
