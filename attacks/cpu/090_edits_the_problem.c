/* SPDX-License-Identifier: MIT */
/* Opens the files of the judge by every way that a process has to them. expected: pass */
#include "assay.h"
#include "problem.h"

#include <fcntl.h>

static int can_open(void)
{
    static const char *const names[] = {"/",
                                        ".",
                                        "..",
                                        "problems",
                                        "/proc/self/exe",
                                        "/proc/self/cwd",
                                        "/proc/self/root",
                                        "/proc/1/exe",
                                        "/proc/self/maps"};

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
    if (can_open())
        return 1; /* what is opened is not far from being changed */
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
