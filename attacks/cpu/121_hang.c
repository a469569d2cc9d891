/* SPDX-License-Identifier: MIT */
/* Never returns. expected: timeout: call */
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    volatile int waiting = 1;

    (void)in, (void)n_in, (void)out, (void)n_out, (void)stream;
    while (waiting)
        ;
    return 0;
}
