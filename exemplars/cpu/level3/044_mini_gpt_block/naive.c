/* SPDX-License-Identifier: MIT */
/* A GPT block, one sequence at a time: x += attention(norm(x)); x += mlp(norm(x)). */
#include "assay.h"
#include "problem.h"

#include <math.h>
#include <stdlib.h>

#define EPS 1e-5f
#define SQRT_2_OVER_PI 0.79788456080286536f

static float dot(const float *a, const float *b, int64_t n)
{
    float sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void layer_norm(const float *x, const DLTensor *weight, const DLTensor *bias, int64_t rows,
                       float *y)
{
    const float *w = weight->data, *b = bias->data;
    int64_t n = weight->shape[0];

    for (int64_t r = 0; r < rows; r++, x += n, y += n) {
        float sum = 0, sum_sq = 0;

        for (int64_t i = 0; i < n; i++)
            sum += x[i];

        float mean = sum / (float)n;

        for (int64_t i = 0; i < n; i++)
            sum_sq += (x[i] - mean) * (x[i] - mean);

        float scale = 1 / sqrtf(sum_sq / (float)n + EPS);

        for (int64_t i = 0; i < n; i++)
            y[i] = (x[i] - mean) * scale * w[i] + b[i];
    }
}

/* y = x W^T + b */
static void linear(const float *x, const DLTensor *weight, const DLTensor *bias, int64_t rows,
                   float *y)
{
    const float *w = weight->data, *b = bias->data;
    int64_t outputs = weight->shape[0], inputs = weight->shape[1];

    for (int64_t r = 0; r < rows; r++)
        for (int64_t o = 0; o < outputs; o++)
            y[r * outputs + o] = dot(x + r * inputs, w + o * inputs, inputs) + b[o];
}

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

/* One query of one head against the keys up to its own place. A row of qkv holds q, k and v. */
static void attend(const float *qkv, int64_t t, int64_t channels, int64_t head, int64_t width,
                   float *scores, float *y)
{
    const float *query = qkv + t * 3 * channels + head * width;
    float scale = 1 / sqrtf((float)width);

    for (int64_t k = 0; k <= t; k++)
        scores[k] = dot(query, qkv + (3 * k + 1) * channels + head * width, width) * scale;
    softmax_in_place(scores, t + 1);
    for (int64_t i = 0; i < width; i++)
        y[i] = 0;
    for (int64_t k = 0; k <= t; k++)
        for (int64_t i = 0; i < width; i++)
            y[i] += scores[k] * qkv[(3 * k + 2) * channels + head * width + i];
}

static void attention(const float *qkv, int64_t steps, int64_t channels, float *scores, float *y)
{
    int64_t heads = PARAM_HEADS, width = channels / heads;

    for (int64_t t = 0; t < steps; t++)
        for (int64_t h = 0; h < heads; h++)
            attend(qkv, t, channels, h, width, scores, y + t * channels + h * width);
}

static void gelu_tanh(float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float inner = SQRT_2_OVER_PI * (x[i] + 0.044715f * x[i] * x[i] * x[i]);

        x[i] = 0.5f * x[i] * (1 + tanhf(inner));
    }
}

static void add(const float *a, const float *b, int64_t n, float *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = a[i] + b[i];
}

struct scratch { /* for one sequence */
    float *normed, *mixed, *wide, *scores;
};

static void block(const DLTensor *in, const float *x, int64_t steps, int64_t channels,
                  const struct scratch *s, float *y)
{
    int64_t n = steps * channels, inner = in[IN_MLP_C_FC_WEIGHT].shape[0];

    layer_norm(x, &in[IN_LN_1_WEIGHT], &in[IN_LN_1_BIAS], steps, s->normed);
    linear(s->normed, &in[IN_ATTN_C_ATTN_WEIGHT], &in[IN_ATTN_C_ATTN_BIAS], steps, s->wide);
    attention(s->wide, steps, channels, s->scores, s->mixed);
    linear(s->mixed, &in[IN_ATTN_C_PROJ_WEIGHT], &in[IN_ATTN_C_PROJ_BIAS], steps, s->normed);
    add(x, s->normed, n, y);
    layer_norm(y, &in[IN_LN_2_WEIGHT], &in[IN_LN_2_BIAS], steps, s->normed);
    linear(s->normed, &in[IN_MLP_C_FC_WEIGHT], &in[IN_MLP_C_FC_BIAS], steps, s->wide);
    gelu_tanh(s->wide, steps * inner);
    linear(s->wide, &in[IN_MLP_C_PROJ_WEIGHT], &in[IN_MLP_C_PROJ_BIAS], steps, s->mixed);
    add(y, s->mixed, n, y);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t batch = in[IN_X].shape[0], steps = in[IN_X].shape[1], channels = in[IN_X].shape[2];
    int64_t n = steps * channels, inner = in[IN_MLP_C_FC_WEIGHT].shape[0];
    int64_t widest = inner > 3 * channels ? inner : 3 * channels;
    float *memory = malloc((size_t)(2 * n + steps * widest + steps) * sizeof(*memory));

    (void)n_in, (void)n_out, (void)stream;
    if (!memory)
        return 1;

    struct scratch s = {memory, memory + n, memory + 2 * n, memory + 2 * n + steps * widest};

    for (int64_t b = 0; b < batch; b++)
        block(in, x + b * n, steps, channels, &s, y + b * n);
    free(memory);
    return 0;
}
