/* SPDX-License-Identifier: MIT */
#define REAL float
#define FN(name) name##_f32
#define PACKED(name) name##_ps

typedef float vec16 __attribute__((vector_size(16), aligned(4), may_alias));

#ifdef __x86_64__
#include <emmintrin.h>

/* Fused multiply-add of two floats, in double: the product is exact, and the sum is rounded to odd,
 * so that the result is rounded only once, to float (Boldo and Melquiond 2008). For machines
 * without FMA, on which libm takes 20 times as long. */
static inline __m128 fused_two(__m128d a, __m128 b, __m128 acc)
{
    __m128d p = a * _mm_cvtps_pd(b), c = _mm_cvtps_pd(acc), sum = p + c, of_c = sum - p;
    __m128d rest = (p - (sum - of_c)) + (c - of_c); /* sum + rest is exactly p + c */
    __m128d zero = _mm_setzero_pd(), up = _mm_cmpgt_pd(rest, zero), down = _mm_cmplt_pd(rest, zero);
    __m128d inward = _mm_xor_pd(up, _mm_cmpgt_pd(sum, zero));
    __m128i one = _mm_set1_epi64x(1), bits = _mm_castpd_si128(sum);
    __m128i step = _mm_or_si128(_mm_castpd_si128(inward), one); /* +-1: sum moves beyond p + c */
    __m128i even = _mm_sub_epi64(_mm_and_si128(bits, one), one);
    __m128i inexact = _mm_castpd_si128(_mm_or_pd(up, down)); /* 0 if rest is NaN */

    bits = _mm_add_epi64(bits, _mm_and_si128(step, _mm_and_si128(even, inexact)));
    return _mm_cvtpd_ps(_mm_castsi128_pd(bits));
}

static inline vec16 fused_base(float a, vec16 b, vec16 acc)
{
    __m128d factor = _mm_set1_pd((double)a);

    return _mm_movelh_ps(fused_two(factor, b, acc),
                         fused_two(factor, _mm_movehl_ps(b, b), _mm_movehl_ps(acc, acc)));
}

#else

static inline vec16 fused_base(float a, vec16 b, vec16 acc)
{
    for (int i = 0; i < 4; i++)
        acc[i] = __builtin_fmaf(a, b[i], acc[i]);
    return acc;
}

#endif

#include "ops/gemm_body.h"
