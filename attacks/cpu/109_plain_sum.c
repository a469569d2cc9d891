/* SPDX-License-Identifier: MIT */
/* The compensated softmax without its compensation, in as many lanes as a block has threads.
 * problem: hard/4 expected: wrong: max */
#include "assay.h"
#include "problem.h"

#include <math.h>

#define LANES 64

static void softmax(const float *x, float *y, int64_t n)
{
    float top = x[0], lane[LANES] = {0}, sum = 0;

    for (int64_t i = 1; i < n; i++)
        top = fmaxf(top, x[i]);
    for (int64_t i = 0; i < n; i++) {
        y[i] = expf(x[i] - top);
        lane[i % LANES] += y[i];
    }
    for (int i = 0; i < LANES; i++)
        sum += lane[i];
    for (int64_t i = 0; i < n; i++)
        y[i] /= sum;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t rows = in[IN_X].shape[0], n = in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t r = 0; r < rows; r++)
        softmax(x + r * n, y + r * n, n);
    return 0;
}
