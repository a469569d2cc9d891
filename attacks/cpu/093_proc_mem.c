/* SPDX-License-Identifier: MIT */
/* Wants to read its process and others as files. expected: pass */
#include "assay.h"
#include "problem.h"

#include <fcntl.h>

static int can_read(void)
{
    static const char *const names[] = {"/proc/self/mem", "/proc/self/environ", "/proc/self/fd",
                                        "/proc/1/mem",    "/proc/self/task",    "/dev/mem"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (open(names[i], O_RDONLY) >= 0)
            return 1;
    return 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (can_read())
        return 1; /* secrets of others may be there */
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
