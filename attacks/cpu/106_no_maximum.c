/* SPDX-License-Identifier: MIT */
/* Softmax without taking the maximum off: large inputs overflow. problem: level1/23 expected:
 * wrong: nonfinite or wrong: max */
#include "assay.h"
#include "problem.h"

#include <math.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t rows = in[IN_X].shape[0], cols = in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t r = 0; r < rows; r++) {
        float sum = 0;

        for (int64_t c = 0; c < cols; c++)
            sum += y[r * cols + c] = expf(x[r * cols + c]);
        for (int64_t c = 0; c < cols; c++)
            y[r * cols + c] /= sum;
    }
    return 0;
}
