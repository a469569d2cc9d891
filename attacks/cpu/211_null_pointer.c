/* SPDX-License-Identifier: MIT */
/* Writes through a null pointer. expected: crash: SIGSEGV */
#include "assay.h"
#include "problem.h"

#include <stddef.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    volatile float *volatile nowhere = NULL; /* volatile: the compiler must not know */

    (void)in, (void)n_in, (void)out, (void)n_out, (void)stream;
    *nowhere = 1;
    return 0;
}
