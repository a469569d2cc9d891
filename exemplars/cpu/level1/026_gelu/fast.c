/* SPDX-License-Identifier: MIT */
/* The exact GELU in a form the compiler vectorises. With a = |x|, the upper tail of the normal
 * distribution is Q(a) = exp(-a^2 / 2) G(a), where G falls slowly from 1/2: with u = 1 / (1 + a /
 * 4) it is u times a polynomial in v = 5/8 - u (minimax, relative error 8e-9). GELU is x Q(a) for x
 * < 0 and x (1 - Q(a)) otherwise: nothing cancels, so it is good to 6 ulp even far in the tail. */
#include "assay.h"
#include "problem.h"

#include <math.h>
#include <string.h>

#define BLOCK 4096               /* elements for one thread at a time */
#define PARALLEL_MIN (1LL << 16) /* below this, waking threads takes longer than the work */

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

static inline float gelu(float x)
{
    const float last = 13.0f; /* Q(13) is 6e-39 */
    float a = fabsf(x) < last ? fabsf(x) : last;
    float square = a * a, rest = fmaf(a, a, -square); /* exp would magnify the rounding of a^2 */
    float u = 1 / (1 + 0.25f * a), v = 0.25f * a * u - 0.375f;
    float g = -0.0165795724f;

    g = g * v + 0.03046836f;
    g = g * v + 0.0291571137f;
    g = g * v - 0.0923620235f;
    g = g * v - 0.0033319368f;
    g = g * v + 0.262896275f;
    g = g * v - 0.500661946f;
    g = g * v + 0.550620255f;
    g = g * v - 0.420168617f;
    g = g * v + 0.23365303f;

    float density = exp_neg(-0.5f * square) * (1 - 0.5f * rest);
    float tail = a < last ? density * (g * u) : 0;

    return x * (x < 0 ? tail : 1 - tail);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
#pragma omp parallel for simd schedule(static, BLOCK) if (parallel : n >= PARALLEL_MIN)
    for (int64_t i = 0; i < n; i++)
        y[i] = gelu(x[i]);
    return 0;
}
