/* SPDX-License-Identifier: MIT */
/* Cross entropy of targets that are always class 0. problem: level1/95 expected: wrong: max */
#include "assay.h"
#include "problem.h"

#include <math.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_PREDICTIONS].data;
    int64_t rows = in[IN_PREDICTIONS].shape[0], cols = in[IN_PREDICTIONS].shape[1];
    double loss = 0;

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t r = 0; r < rows; r++, x += cols) {
        double most = x[0], sum = 0;

        for (int64_t c = 1; c < cols; c++)
            most = fmax(most, x[c]);
        for (int64_t c = 0; c < cols; c++)
            sum += exp(x[c] - most);
        loss += most + log(sum) - x[0];
    }
    *(float *)out[OUT_LOSS].data = (float)(loss / rows);
    return 0;
}
