/* SPDX-License-Identifier: MIT */
/* Tries to leave files behind, cannot, computes honestly. expected: pass */
#include "assay.h"
#include "problem.h"

#include <fcntl.h>
#include <unistd.h>

static int can_create(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (can_create("/tmp/x") || can_create("x"))
        return 1; /* then the sandbox has a hole, and this must not read as a pass */
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
