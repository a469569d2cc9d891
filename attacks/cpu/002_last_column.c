/* SPDX-License-Identifier: MIT */
/* Skips the last column of every row. expected: wrong: unwritten */
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t rows = in[IN_X].shape[0], cols = in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols - 1; c++)
            y[r * cols + c] = x[r * cols + c] > 0 ? x[r * cols + c] : 0;
    return 0;
}
