/* SPDX-License-Identifier: MIT */
#define REAL double
#define FN(name) name##_f64
#define PACKED(name) name##_pd

typedef double vec16 __attribute__((vector_size(16), aligned(8), may_alias));

/* On an x86-64 without FMA, __builtin_fma is a slow call. */
static inline vec16 fused_base(double a, vec16 b, vec16 acc)
{
    for (int i = 0; i < 2; i++)
        acc[i] = __builtin_fma(a, b[i], acc[i]);
    return acc;
}

#include "ops/gemm_body.h"
