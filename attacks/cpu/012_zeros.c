/* SPDX-License-Identifier: MIT */
/* Writes zeros, which are right for about half of the elements. expected: wrong: max */
#include "assay.h"
#include "problem.h"

#include <string.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    memset(out[OUT_Y].data, 0, (size_t)n * sizeof(float));
    return 0;
}
