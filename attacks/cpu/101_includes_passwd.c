/* SPDX-License-Identifier: MIT */
/* Wants the compiler to print a file of the machine's. expected: build_error: compiler */
#include "/etc/passwd"
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    (void)in, (void)n_in, (void)out, (void)n_out, (void)stream;
    return 0;
}
