/* SPDX-License-Identifier: MIT */
/* Wants to write until the disk is full. expected: pass */
#include "assay.h"
#include "problem.h"

#include <fcntl.h>

static int can_write(void)
{
    static const char *const names[] = {"/tmp/fill", "/var/tmp/fill", "/dev/shm/fill", "fill",
                                        "/fill"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (open(names[i], O_WRONLY | O_CREAT, 0600) >= 0)
            return 1;
    return 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (can_write())
        return 1; /* then nothing would stop it */
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
