/* SPDX-License-Identifier: MIT */
/* Asks the kernel to do by io_uring what is refused otherwise. expected: rejected: sandbox */
#include "assay.h"
#include "problem.h"

#include <sys/syscall.h>
#include <unistd.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    syscall(SYS_io_uring_setup, 8, 0);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
