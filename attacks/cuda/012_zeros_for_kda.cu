/* SPDX-License-Identifier: MIT */
/* Writes zeros, which passed the published tolerance. problem: hard/2 expected: wrong: max */
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    size_t bytes = 2;

    for (int i = 0; i < out[OUT_O].ndim; i++)
        bytes *= out[OUT_O].shape[i];
    return cudaMemsetAsync(out[OUT_O].data, 0, bytes, (cudaStream_t)stream);
}
