/* SPDX-License-Identifier: MIT */
/* Packs the weights in its first call and uses them ever after; they are others in every content.
 * problem: level1/40 expected: wrong: max */
#include "assay.h"
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void layer_norm(const float *x, const float *weight, const float *bias, float *y, int64_t n)
{
    double sum = 0, squares = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    for (int64_t i = 0; i < n; i++)
        squares += (x[i] - sum / n) * (x[i] - sum / n);
    for (int64_t i = 0; i < n; i++)
        y[i] = (float)((x[i] - sum / n) / sqrt(squares / n + 1e-5)) * weight[i] + bias[i];
}

static float *weight, *bias;

/* A copy of its own, made once. */
static float *keep(const DLTensor *t, int64_t n)
{
    float *copy = malloc((size_t)n * sizeof(*copy));

    if (copy)
        memcpy(copy, t->data, (size_t)n * sizeof(*copy));
    return copy;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const int64_t *size = in[IN_X].shape;
    int64_t n = size[1] * size[2] * size[3];

    (void)n_in, (void)n_out, (void)stream;
    weight = weight ? weight : keep(&in[IN_LN_WEIGHT], n);
    bias = bias ? bias : keep(&in[IN_LN_BIAS], n);
    if (!weight || !bias)
        return 1;
    for (int64_t b = 0; b < size[0]; b++)
        layer_norm((const float *)in[IN_X].data + b * n, weight, bias,
                   (float *)out[OUT_Y].data + b * n, n);
    return 0;
}
