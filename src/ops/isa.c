/* SPDX-License-Identifier: MIT */
#include "base/util.h"
#include "ops/gemm.h"

static enum gemm_isa limit = GEMM_AVX512;

void gemm_limit_isa(enum gemm_isa best)
{
    limit = best;
}

enum gemm_isa gemm_get_isa(void)
{
    enum gemm_isa best = GEMM_BASE;

#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        best = GEMM_AVX512;
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        best = GEMM_AVX2;
#endif
    return MIN(best, limit);
}
