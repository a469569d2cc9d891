/* SPDX-License-Identifier: MIT */
/* A running product of numbers below 1 vanishes: zeros behind the first 64 columns. problem:
 * level1/90 expected: wrong: max */
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t rows = in[IN_X].shape[0], cols = in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t r = 0; r < rows; r++) {
        float product = 1;

        for (int64_t c = 0; c < cols; c++) {
            product = c < 64 ? product * x[r * cols + c] : 0;
            y[r * cols + c] = product;
        }
    }
    return 0;
}
