/* SPDX-License-Identifier: MIT */
/* Writes zeros, which passed the published tolerance. problem: hard/3 expected: wrong: max */
#include "assay.h"
#include "problem.h"

#include <string.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    size_t bytes = 2;

    (void)in, (void)n_in, (void)n_out, (void)stream;
    for (int i = 0; i < out[OUT_OUT].ndim; i++)
        bytes *= (size_t)out[OUT_OUT].shape[i];
    memset(out[OUT_OUT].data, 0, bytes);
    return 0;
}
