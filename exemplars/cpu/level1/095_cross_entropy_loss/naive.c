/* SPDX-License-Identifier: MIT */
/* The mean over the rows of log(sum(exp(row))) - row[target]. */
#include "assay.h"
#include "problem.h"

#include <math.h>

static float log_sum_exp(const float *x, int64_t n)
{
    float max = x[0], sum = 0;

    for (int64_t i = 1; i < n; i++)
        max = fmaxf(max, x[i]);
    for (int64_t i = 0; i < n; i++)
        sum += expf(x[i] - max);
    return max + logf(sum);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *predictions = in[IN_PREDICTIONS].data;
    const int64_t *targets = in[IN_TARGETS].data;
    float *loss = out[OUT_LOSS].data;
    int64_t rows = in[IN_PREDICTIONS].shape[0], classes = in[IN_PREDICTIONS].shape[1];
    float sum = 0;

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t r = 0; r < rows; r++) {
        const float *row = predictions + r * classes;

        sum += log_sum_exp(row, classes) - row[targets[r]];
    }
    *loss = sum / (float)rows;
    return 0;
}
