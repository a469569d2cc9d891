/* SPDX-License-Identifier: MIT */
/* Transposed convolution, batch norm with the batch's own statistics, tanh, 2 x 2 max pooling,
 * group norm: one stage after the other, through one scratch image. */
#include "assay.h"
#include "problem.h"

#include <math.h>
#include <stdlib.h>

#define EPS 1e-5f

enum { PAD = 1, POOL = 2 };

/* One output: the inputs whose window reaches (h, w), each times the weight it reaches it with. */
static float conv_transpose_at(const DLTensor *x, const DLTensor *weight, int64_t batch, int64_t o,
                               int64_t h, int64_t w)
{
    int64_t channels = x->shape[1], height = x->shape[2], width = x->shape[3];
    int64_t outputs = weight->shape[1], kernel_h = weight->shape[2], kernel_w = weight->shape[3];
    float sum = 0;

    for (int64_t c = 0; c < channels; c++) {
        const float *image = (const float *)x->data + (batch * channels + c) * height * width;
        const float *kernel = (const float *)weight->data + (c * outputs + o) * kernel_h * kernel_w;

        for (int64_t i = 0; i < kernel_h; i++)
            for (int64_t j = 0; j < kernel_w; j++) {
                int64_t from_h = h + PAD - i, from_w = w + PAD - j;

                if (from_h >= 0 && from_h < height && from_w >= 0 && from_w < width)
                    sum += image[from_h * width + from_w] * kernel[i * kernel_w + j];
            }
    }
    return sum;
}

static void conv_transpose(const DLTensor *x, const DLTensor *weight, const float *bias,
                           const int64_t *size, float *y)
{
    for (int64_t b = 0; b < size[0]; b++)
        for (int64_t o = 0; o < size[1]; o++)
            for (int64_t h = 0; h < size[2]; h++)
                for (int64_t w = 0; w < size[3]; w++)
                    *y++ = bias[o] + conv_transpose_at(x, weight, b, o, h, w);
}

/* Mean and 1 / sqrt(variance + eps) of n runs of `run` values, `stride` apart; two passes. */
static void statistics(const float *x, int64_t n, int64_t run, int64_t stride, float *ret_mean,
                       float *ret_scale)
{
    float sum = 0, sum_sq = 0;

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < run; j++)
            sum += x[i * stride + j];

    float mean = sum / (float)(n * run);

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < run; j++) {
            float centred = x[i * stride + j] - mean;

            sum_sq += centred * centred;
        }
    *ret_mean = mean;
    *ret_scale = 1 / sqrtf(sum_sq / (float)(n * run) + EPS);
}

static void batch_norm_tanh(float *x, const int64_t *size, const float *weight, const float *bias)
{
    int64_t pixels = size[2] * size[3], image = size[1] * pixels;

    for (int64_t c = 0; c < size[1]; c++) {
        float mean, scale;

        statistics(x + c * pixels, size[0], pixels, image, &mean, &scale);
        for (int64_t b = 0; b < size[0]; b++)
            for (int64_t p = 0; p < pixels; p++) {
                float *at = x + b * image + c * pixels + p;

                *at = tanhf((*at - mean) * scale * weight[c] + bias[c]);
            }
    }
}

static void max_pool(const float *x, const int64_t *size, float *y, const int64_t *out_size)
{
    for (int64_t plane = 0; plane < size[0] * size[1]; plane++)
        for (int64_t h = 0; h < out_size[2]; h++)
            for (int64_t w = 0; w < out_size[3]; w++) {
                const float *window = x + (plane * size[2] + h * POOL) * size[3] + w * POOL;
                float max = window[0];

                for (int64_t i = 0; i < POOL; i++)
                    for (int64_t j = 0; j < POOL; j++)
                        max = fmaxf(max, window[i * size[3] + j]);
                *y++ = max;
            }
}

static void group_norm(float *x, const int64_t *size, const float *weight, const float *bias)
{
    int64_t pixels = size[2] * size[3], groups = PARAM_G, members = size[1] / groups;

    for (int64_t g = 0; g < size[0] * groups; g++) {
        float *group = x + g * members * pixels;
        float mean, scale;

        statistics(group, 1, members * pixels, 0, &mean, &scale);
        for (int64_t c = 0; c < members; c++)
            for (int64_t p = 0; p < pixels; p++) {
                int64_t channel = g % groups * members + c;
                float *at = group + c * pixels + p;

                *at = (*at - mean) * scale * weight[channel] + bias[channel];
            }
    }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const DLTensor *x = &in[IN_X], *weight = &in[IN_CONV_TRANSPOSE_WEIGHT], *y = &out[OUT_Y];
    const int64_t size[4] = {
        x->shape[0],
        weight->shape[1],
        x->shape[2] + weight->shape[2] - 1 - 2 * PAD,
        x->shape[3] + weight->shape[3] - 1 - 2 * PAD,
    };
    float *image = malloc((size_t)(size[0] * size[1] * size[2] * size[3]) * sizeof(*image));

    (void)n_in, (void)n_out, (void)stream;
    if (!image)
        return 1;
    conv_transpose(x, weight, in[IN_CONV_TRANSPOSE_BIAS].data, size, image);
    batch_norm_tanh(image, size, in[IN_BATCH_NORM_WEIGHT].data, in[IN_BATCH_NORM_BIAS].data);
    max_pool(image, size, y->data, y->shape);
    group_norm(y->data, y->shape, in[IN_GROUP_NORM_WEIGHT].data, in[IN_GROUP_NORM_BIAS].data);
    free(image);
    return 0;
}
