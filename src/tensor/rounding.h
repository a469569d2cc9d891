/* SPDX-License-Identifier: MIT */
/* round_to() of dtype.h as inline functions. CUDA compiles this, too. */
#ifndef ASSAY_TENSOR_ROUNDING_H
#define ASSAY_TENSOR_ROUNDING_H

#include "tensor/dtype.h"
#include "tensor/narrow.h"

/* Rounds to 10 bits of mantissa. Subnormals and the carry into the exponent need no case of their
 * own, because the codes of adjacent floats are adjacent. */
LAW_FN float round_tf32(float value)
{
    uint32_t bits = bits_of_f32(value);

    if (value != value)
        return value;
    bits += 0xFFF + ((bits >> 13) & 1);
    return f32_of_bits(bits & ~(uint32_t)0x1FFF);
}

LAW_FN float round_value(enum rounding r, float value)
{
    switch (r) {
    case ROUND_NONE:
        return value;
    case ROUND_TF32:
        return round_tf32(value);
    case ROUND_BF16:
        return widen_bf16(narrow_bf16(value));
    case ROUND_F16:
        return widen_f16(narrow_f16(value));
    case ROUND_E4M3:
        return widen_f8e4m3(narrow_f8e4m3(value));
    case ROUND_E2M1:
        return value == value ? widen_e2m1(narrow_e2m1(value)) : value;
    }
    return value;
}

#endif
