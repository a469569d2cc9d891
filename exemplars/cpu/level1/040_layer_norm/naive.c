/* SPDX-License-Identifier: MIT */
/* Layer norm over everything but the batch. The variance is taken around the mean in a second pass:
 * E[x^2] - mean^2 loses all digits when the mean is large. */
#include "assay.h"
#include "problem.h"

#include <math.h>

#define EPS 1e-5f

static void layer_norm_row(const float *x, const float *weight, const float *bias, float *y,
                           int64_t n)
{
    float sum = 0, sum_sq = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i];

    float mean = sum / (float)n;

    for (int64_t i = 0; i < n; i++)
        sum_sq += (x[i] - mean) * (x[i] - mean);

    float scale = 1 / sqrtf(sum_sq / (float)n + EPS);

    for (int64_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) * scale * weight[i] + bias[i];
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    const float *weight = in[IN_LN_WEIGHT].data, *bias = in[IN_LN_BIAS].data;
    float *y = out[OUT_Y].data;
    const int64_t *shape = in[IN_X].shape;
    int64_t n = shape[1] * shape[2] * shape[3];

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t b = 0; b < shape[0]; b++)
        layer_norm_row(x + b * n, weight, bias, y + b * n, n);
    return 0;
}
