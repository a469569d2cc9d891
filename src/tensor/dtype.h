/* SPDX-License-Identifier: MIT */
/* Element types. Conversions to a narrower float round to nearest even; f8e4m3 has no infinity and
 * saturates to +-448 (NaN stays NaN); f8e5m2, f16 and bf16 overflow to infinity as IEEE does;
 * integers are cut towards zero and saturate, NaN becomes 0; bool is value != 0. */
#ifndef ASSAY_TENSOR_DTYPE_H
#define ASSAY_TENSOR_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dtype {
    DT_F64,
    DT_F32,
    DT_F16,
    DT_BF16,
    DT_F8E4M3,
    DT_F8E5M2,
    DT_I64,
    DT_I32,
    DT_I8,
    DT_U8,
    DT_BOOL,
    DT_COUNT,
};

size_t dtype_size(enum dtype t);
const char *dtype_name(enum dtype t);
/* Returns false when there is no such type. */
bool dtype_parse(const char *name, enum dtype *ret);
bool dtype_is_float(enum dtype t);
/* Unit roundoff u: half the distance from 1 to the next number, 2^-24 for f32. 0 for integers. */
double dtype_roundoff(enum dtype t);
/* DLPack type code and bits (1.2: float8 e4m3fn 10, e5m2 12, bool 6, bfloat 4). */
void dtype_dlpack(enum dtype t, uint8_t *ret_code, uint8_t *ret_bits);

/* Reads or writes one element through double (exact for every type but i64 beyond 2^53). */
double dtype_load(enum dtype t, const void *at);
void dtype_store(enum dtype t, void *at, double value);
/* The value rounded to t and widened again. */
double dtype_round(enum dtype t, double value);

/* Formats to which cheaper arithmetic would round an operand. Not all of them are element types. */
enum rounding {
    ROUND_NONE,
    ROUND_TF32, /* 10 bits of mantissa, f32's exponent */
    ROUND_BF16,
    ROUND_F16,
    ROUND_E4M3,
    ROUND_E2M1, /* fp4 */
};
float round_to(enum rounding r, float value);

/* Conversions of arrays between every element type and f64, f32 or int64, in parallel when they are
 * large. src and dst do not overlap. */
void dtype_to_f64(enum dtype t, const void *src, double *dst, int64_t n);
void dtype_to_f32(enum dtype t, const void *src, float *dst, int64_t n);
void dtype_to_i64(enum dtype t, const void *src, int64_t *dst, int64_t n);
void dtype_from_f64(enum dtype t, const double *src, void *dst, int64_t n);
void dtype_from_f32(enum dtype t, const float *src, void *dst, int64_t n);
void dtype_from_i64(enum dtype t, const int64_t *src, void *dst, int64_t n);

#endif
