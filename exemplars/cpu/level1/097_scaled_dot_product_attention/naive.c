/* SPDX-License-Identifier: MIT */
/* Scaled dot-product attention, one query at a time: softmax(q K^T / sqrt(d)) V. */
#include "assay.h"
#include "problem.h"

#include <math.h>
#include <stdlib.h>

static void softmax_in_place(float *x, int64_t n)
{
    float max = x[0], sum = 0;

    for (int64_t i = 1; i < n; i++)
        max = fmaxf(max, x[i]);
    for (int64_t i = 0; i < n; i++) {
        x[i] = expf(x[i] - max);
        sum += x[i];
    }
    for (int64_t i = 0; i < n; i++)
        x[i] /= sum;
}

/* One query of `width` values against `n_keys` keys; `scores` is scratch for n_keys values. */
static void attend(const float *query, const float *keys, const float *values, int64_t n_keys,
                   int64_t width, float *scores, float *y)
{
    float scale = 1 / sqrtf((float)width);

    for (int64_t k = 0; k < n_keys; k++) {
        float dot = 0;

        for (int64_t i = 0; i < width; i++)
            dot += query[i] * keys[k * width + i];
        scores[k] = dot * scale;
    }
    softmax_in_place(scores, n_keys);
    for (int64_t i = 0; i < width; i++)
        y[i] = 0;
    for (int64_t k = 0; k < n_keys; k++)
        for (int64_t i = 0; i < width; i++)
            y[i] += scores[k] * values[k * width + i];
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *query = in[IN_Q].data, *key = in[IN_K].data, *value = in[IN_V].data;
    float *y = out[OUT_Y].data;
    const int64_t *shape = in[IN_Q].shape; /* batch, heads, queries, width */
    int64_t heads = shape[0] * shape[1], queries = shape[2], width = shape[3];
    int64_t n_keys = in[IN_K].shape[2];
    float *scores = malloc((size_t)n_keys * sizeof(*scores));

    (void)n_in, (void)n_out, (void)stream;
    if (!scores)
        return 1;
    for (int64_t h = 0; h < heads; h++)
        for (int64_t q = 0; q < queries; q++) {
            int64_t at = (h * queries + q) * width, keys_at = h * n_keys * width;

            attend(query + at, key + keys_at, value + keys_at, n_keys, width, scores, y + at);
        }
    free(scores);
    return 0;
}
