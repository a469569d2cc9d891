/* SPDX-License-Identifier: MIT */
/* ReLU of inputs that are never negative is a copy; these are. expected: wrong: max */
#include "assay.h"
#include "problem.h"

#include <string.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    memcpy(y, x, (size_t)n * sizeof(*y));
    return 0;
}
