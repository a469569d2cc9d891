/* SPDX-License-Identifier: MIT */
/* HardSigmoid as it looks between -3 and 3, a straight line. problem: level1/28 expected: wrong:
 * max */
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] / 6 + 0.5f;
    return 0;
}
