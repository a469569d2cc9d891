/* SPDX-License-Identifier: MIT */
/* Writes nothing and hopes that the memory still holds the right answer. expected: wrong:
 * unwritten */
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    (void)in, (void)n_in, (void)out, (void)n_out, (void)stream;
    return 0;
}
