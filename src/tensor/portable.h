/* SPDX-License-Identifier: MIT */
/* Names for things that plain C and run-time compiled CUDA or HIP spell differently. Headers built
 * on it (philox.h, law.h, narrow.h) include nothing else of the system. For run-time compilation,
 * the code that puts the program together defines the integer types. Compile them without
 * contraction (-ffp-contract=off, --fmad=false), without flushing of subnormals and without fast
 * math, or the bits differ. */
#ifndef ASSAY_TENSOR_PORTABLE_H
#define ASSAY_TENSOR_PORTABLE_H

#if defined(__CUDACC__) || defined(__HIPCC__)

#define LAW_FN static __device__ __forceinline__
/* For functions with many callers that each call rarely: inlining them everywhere doubles the time
 * to compile. */
#define LAW_RARE_FN static __device__ __noinline__

LAW_FN uint64_t bits_of_f64(double x)
{
    return (uint64_t)__double_as_longlong(x);
}

LAW_FN double f64_of_bits(uint64_t bits)
{
    return __longlong_as_double((long long)bits);
}

LAW_FN uint32_t bits_of_f32(float x)
{
    return __float_as_uint(x);
}

LAW_FN float f32_of_bits(uint32_t bits)
{
    return __uint_as_float(bits);
}

/* Number of bits that are 1. */
LAW_FN uint32_t ones_of_bits(uint32_t bits)
{
    return (uint32_t)__popc(bits);
}

#else

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LAW_FN static inline
#define LAW_RARE_FN static inline

LAW_FN uint64_t bits_of_f64(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

LAW_FN double f64_of_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

LAW_FN uint32_t bits_of_f32(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

LAW_FN float f32_of_bits(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* Number of bits that are 1, by sums of 2, 4 and 8 bits: not every x86-64 has an instruction for
 * it, and this can be vectorised. */
LAW_FN uint32_t ones_of_bits(uint32_t bits)
{
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0Fu;
    bits += bits >> 8;
    return (bits + (bits >> 16)) & 0x3F;
}

#endif

#endif
