/* SPDX-License-Identifier: MIT */
/* Launches nothing and hopes that the memory still holds the right answer. expected: wrong:
 * unwritten */
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    return 0;
}
