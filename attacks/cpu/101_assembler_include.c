/* SPDX-License-Identifier: MIT */
/* The assembler is to read a file of the machine's as its own text, and quote it. expected:
 * build_error: compiler */
#include "assay.h"
#include "problem.h"

__asm__(".include \"/etc/passwd\"");

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    (void)in, (void)n_in, (void)out, (void)n_out, (void)stream;
    return 0;
}
