/* SPDX-License-Identifier: MIT */
/* Writes zeros, which are right for about half of the elements. expected: wrong: max */
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    return cudaMemsetAsync(out[OUT_Y].data, 0, n * sizeof(float), (cudaStream_t)stream);
}
