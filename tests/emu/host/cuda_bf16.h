/* SPDX-License-Identifier: MIT */
/* The part of CUDA's header that exemplars use, for a CPU. */
#ifndef TESTS_EMU_HOST_CUDA_BF16_H
#define TESTS_EMU_HOST_CUDA_BF16_H

#include "cuda_on_host.h"

struct __nv_bfloat16 {
    uint16_t bits;
};

struct __nv_bfloat162 {
    __nv_bfloat16 x, y;
};

static inline float __bfloat162float(__nv_bfloat16 v)
{
    return __uint_as_float((uint32_t)v.bits << 16);
}

static inline __nv_bfloat16 __float2bfloat16(float v)
{
    uint32_t bits = __float_as_uint(v);

    return {(uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)}; /* to nearest, ties to even */
}

static inline float2 __bfloat1622float2(__nv_bfloat162 v)
{
    return {__bfloat162float(v.x), __bfloat162float(v.y)};
}

static inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return {__float2bfloat16(x), __float2bfloat16(y)};
}

#endif
