/* SPDX-License-Identifier: MIT */
/* Says that all rows of the output are the first one, and writes only that. expected: wrong:
 * unwritten */
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;

    (void)n_in, (void)n_out, (void)stream;
    out[OUT_Y].strides[0] = 0;
    for (int64_t i = 0; i < in[IN_X].shape[1]; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
