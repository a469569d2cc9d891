/* SPDX-License-Identifier: MIT */
/* Conversion of one number between double and each element type: narrow_T(double) and
 * widen_T(element). Float types also have narrow_T_single(float), which for the small ones stays
 * within 32 bits. dtype.h has the rules. CUDA compiles this, too, so that a device fills and
 * compares as the host does. */
#ifndef ASSAY_TENSOR_NARROW_H
#define ASSAY_TENSOR_NARROW_H

#include "tensor/portable.h"

/* A float format of at most 16 bits. The codes of its positive numbers are in the order of the
 * numbers: subnormals, normals up to max, then infinity and NaN. */
struct narrow_format {
    int mantissa; /* explicit bits */
    int bias;     /* the exponent's bias */
    int32_t max;  /* code of the largest number */
    int32_t over; /* code of a number beyond max: infinity, or max if the format saturates */
    int32_t nan;
    uint32_t sign; /* the sign bit */
};

/* Rounds straight from double, to nearest even: through float, a number just off a midpoint would
 * first become the midpoint. The upper 32 bits of the double are enough if the last of them also
 * says whether any bit below is set; twice as many of them fit into a vector. */
LAW_FN uint32_t narrow(struct narrow_format f, double x)
{
    uint64_t bits = bits_of_f64(x);
    int32_t size = (int32_t)(bits >> 32 & 0x7FFFFFFF) | ((uint32_t)bits != 0);
    uint32_t sign = (uint32_t)(bits >> 63) * f.sign;
    int drop = 20 - f.mantissa;
    /* Normal: half of the last kept bit is added (a little less if that bit is 0), the carry may
     * climb into the exponent, and the exponent gets the new bias. */
    uint32_t half = (1u << (drop - 1)) - 1 + (size >> drop & 1);
    int32_t normal = (int32_t)(((uint32_t)size + half) >> drop) - ((1023 - f.bias) << f.mantissa);
    /* Subnormal: adding 2^52 quanta rounds to whole quanta; the low bits of the sum count them. */
    double magic = f64_of_bits((uint64_t)(1023 + 52 + 1 - f.bias - f.mantissa) << 52);
    int32_t small = (int32_t)bits_of_f64(fabs(x) + magic);
    /* A mask, not a branch: the zeros that relu leaves among other numbers would be mispredicted.
     */
    int32_t code = normal ^ ((normal ^ small) & -(size < (1023 + 1 - f.bias) << 20));

    code = code > f.max ? f.over : code;
    code = size > 0x7FF00000 ? f.nan : code;
    return sign | (uint32_t)code;
}

/* narrow() of a float. */
LAW_FN uint32_t narrow_single(struct narrow_format f, float x)
{
    uint32_t bits = bits_of_f32(x);
    int32_t size = (int32_t)(bits & 0x7FFFFFFF);
    uint32_t sign = (bits >> 31) * f.sign;
    int drop = 23 - f.mantissa;
    uint32_t half = (1u << (drop - 1)) - 1 + (size >> drop & 1);
    int32_t normal = (int32_t)(((uint32_t)size + half) >> drop) - ((127 - f.bias) << f.mantissa);
    uint32_t magic = (uint32_t)(127 + 23 + 1 - f.bias - f.mantissa) << 23;
    int32_t small = (int32_t)(bits_of_f32(fabsf(x) + f32_of_bits(magic)) - magic);
    int32_t code = normal ^ ((normal ^ small) & -(size < (127 + 1 - f.bias) << 23));

    code = code > f.max ? f.over : code;
    code = size > 0x7F800000 ? f.nan : code;
    return sign | (uint32_t)code;
}

#define NARROW_SMALL(name, type, ...)           \
    LAW_FN type narrow_##name(double x)         \
    {                                           \
        struct narrow_format f = {__VA_ARGS__}; \
                                                \
        return (type)narrow(f, x);              \
    }                                           \
    LAW_FN type narrow_##name##_single(float x) \
    {                                           \
        struct narrow_format f = {__VA_ARGS__}; \
                                                \
        return (type)narrow_single(f, x);       \
    }

NARROW_SMALL(f16, uint16_t, 10, 15, 0x7BFF, 0x7C00, 0x7E00, 0x8000)
NARROW_SMALL(bf16, uint16_t, 7, 127, 0x7F7F, 0x7F80, 0x7FC0, 0x8000)
NARROW_SMALL(f8e4m3, uint8_t, 3, 7, 0x7E, 0x7E, 0x7F, 0x80)
NARROW_SMALL(f8e5m2, uint8_t, 2, 15, 0x7B, 0x7C, 0x7E, 0x80)

/* fp4: four bits, no infinity and no NaN; the caller handles NaN. */
LAW_FN uint8_t narrow_e2m1(double x)
{
    struct narrow_format f = {1, 1, 0x7, 0x7, 0x7, 0x8};

    return (uint8_t)narrow(f, x);
}

LAW_FN float narrow_f32(double x)
{
    return (float)x;
}

LAW_FN double narrow_f64(double x)
{
    return x;
}

LAW_FN float narrow_f32_single(float x)
{
    return x;
}

/* NaN is set by its bits: a GPU's conversion gives another NaN than a CPU's. */
LAW_FN double narrow_f64_single(float x)
{
    return x == x ? (double)x : f64_of_bits(0x7FF8000000000000u);
}

/* Conversion to an integer: towards zero like a C cast, saturating; NaN becomes 0. */
LAW_FN int64_t narrow_i64(double x)
{
    int64_t max = 0x7FFFFFFFFFFFFFFF;

    if (!(x > -0x1p63))
        return x == x ? -max - 1 : 0;
    return x < 0x1p63 ? (int64_t)x : max;
}

LAW_FN int32_t narrow_range(double x, double low, double high)
{
    x = x == x ? x : 0;
    x = x > low ? x : low;
    x = x < high ? x : high;
    return (int32_t)x;
}

LAW_FN int32_t narrow_i32(double x)
{
    return narrow_range(x, -0x1p31, 0x1p31 - 1);
}

LAW_FN int8_t narrow_i8(double x)
{
    return (int8_t)narrow_range(x, -128, 127);
}

LAW_FN uint8_t narrow_u8(double x)
{
    return (uint8_t)narrow_range(x, 0, 255);
}

LAW_FN uint8_t narrow_bool(double x)
{
    return x != 0;
}

/* f16 to float. The product by 2^112 shifts the exponent and normalises subnormals; it is exact. */
LAW_FN float widen_f16(uint16_t v)
{
    float size = f32_of_bits((uint32_t)(v & 0x7FFF) << 13) * 0x1p112f;
    uint32_t special = (v & 0x7C00) == 0x7C00 ? 0x7F800000u : 0;

    return f32_of_bits(bits_of_f32(size) | special | (uint32_t)(v & 0x8000) << 16);
}

LAW_FN float widen_bf16(uint16_t v)
{
    return f32_of_bits((uint32_t)v << 16);
}

LAW_FN float widen_f8e4m3(uint8_t v)
{
    float size = f32_of_bits((uint32_t)(v & 0x7F) << 20) * 0x1p120f;
    uint32_t nan = (v & 0x7F) == 0x7F ? 0x7FC00000u : 0;

    return f32_of_bits(bits_of_f32(size) | nan | (uint32_t)(v & 0x80) << 24);
}

/* An f8e5m2 is the upper half of an f16. */
LAW_FN float widen_f8e5m2(uint8_t v)
{
    return widen_f16((uint16_t)(v << 8));
}

LAW_FN float widen_e2m1(uint8_t v)
{
    float size = f32_of_bits((uint32_t)(v & 0x7) << 22) * 0x1p126f;

    return f32_of_bits(bits_of_f32(size) | (uint32_t)(v & 0x8) << 28);
}

LAW_FN float widen_f32(float v)
{
    return v;
}

LAW_FN double widen_f64(double v)
{
    return v;
}

LAW_FN double widen_i64(int64_t v)
{
    return (double)v;
}

LAW_FN int32_t widen_i32(int32_t v)
{
    return v;
}

LAW_FN int32_t widen_i8(int8_t v)
{
    return v;
}

LAW_FN int32_t widen_u8(uint8_t v)
{
    return v;
}

LAW_FN int32_t widen_bool(uint8_t v)
{
    return v != 0;
}

#endif
