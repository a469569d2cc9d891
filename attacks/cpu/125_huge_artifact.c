/* SPDX-License-Identifier: MIT */
/* Ten gigabytes of zeros in the artifact. expected: build_error: too_large */
#include "assay.h"
#include "problem.h"

__asm__(".pushsection .data\n"
        ".zero 10737418240\n"
        ".popsection");

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    (void)in, (void)n_in, (void)out, (void)n_out, (void)stream;
    return 0;
}
