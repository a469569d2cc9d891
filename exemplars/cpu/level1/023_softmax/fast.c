/* SPDX-License-Identifier: MIT */
/* Softmax of each row in three vectorised passes, with an exp of its own: libm's takes one element
 * at a time. The omp simd reductions keep one partial result per lane. */
#include "assay.h"
#include "problem.h"

#include <string.h>

#define PARALLEL_MIN \
    (1LL << 16) /* elements; below this, waking threads takes longer than the work */

/* exp(x) for x <= 0 within 1.1 ulp, in a form the compiler vectorises: x = k ln 2 + r, a polynomial
 * for exp(r) on |r| <= ln 2 / 2 (minimax, relative error 8e-9), and k goes into the exponent. */
static inline float exp_neg(float x)
{
    const float lowest = -87.0f;   /* below: 0, instead of a denormal */
    const float round = 0x1.8p23f; /* adding it leaves an integer in the low bits */
    float bounded = x < lowest ? lowest : x;
    float shifted = bounded * 1.44269504f + round;
    float k = shifted - round;
    float r = bounded - k * 0.693145752f - k * 1.42860677e-6f;
    float p = 0.00139421628f;
    int32_t bits;

    p = p * r + 0.00836377623f;
    p = p * r + 0.0416663635f;
    p = p * r + 0.166665734f;
    p = p * r + 0.5f;
    p = p * (r * r) + r + 1;
    memcpy(&bits, &shifted, sizeof(bits));
    bits = (int32_t)((uint32_t)(bits + 127) << 23); /* 2^k: the shift drops round's own bits */

    float scale;

    memcpy(&scale, &bits, sizeof(scale));
    return x < lowest ? 0 : p * scale;
}

static float row_max(const float *x, int64_t n)
{
    float max = x[0];

#pragma omp simd reduction(max : max)
    for (int64_t i = 0; i < n; i++)
        max = x[i] > max ? x[i] : max;
    return max;
}

static void softmax_row(const float *x, float *y, int64_t n)
{
    float max = row_max(x, n), sum = 0;

#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) {
        float e = exp_neg(x[i] - max);

        y[i] = e;
        sum += e;
    }

    float scale = 1 / sum;

    for (int64_t i = 0; i < n; i++)
        y[i] *= scale;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t rows = in[IN_X].shape[0], cols = in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
#pragma omp parallel for schedule(static) if (rows * cols >= PARALLEL_MIN)
    for (int64_t r = 0; r < rows; r++)
        softmax_row(x + r * cols, y + r * cols, cols);
    return 0;
}
