/* SPDX-License-Identifier: MIT */
/* Each type has six array kernels, made from narrow.h by macro: simple loops over one type that the
 * compiler can turn into vector code. A table has one row per type: its kernels, name, size and
 * other properties. */
#include "tensor/dtype.h"
#include "base/util.h"
#include "tensor/narrow.h"
#include "tensor/rounding.h"

#include <assert.h>

/* Below this an OpenMP region costs more than it gains. */
#define PARALLEL_MIN 65536
#define CHUNK 16384

typedef void convert_fn(const void *restrict src, void *restrict dst, int64_t n);

#define KERNEL(name, from, to, value)                                         \
    static void name(const void *restrict src, void *restrict dst, int64_t n) \
    {                                                                         \
        const from *in = src;                                                 \
        to *out = dst;                                                        \
                                                                              \
        for (int64_t i = 0; i < n; i++) {                                     \
            from v = in[i];                                                   \
                                                                              \
            out[i] = (to)(value);                                             \
        }                                                                     \
    }

/* The six conversions of one type; three of them differ between floats and integers. */
#define KERNELS(name, type, of_f32, as_i64, of_i64)         \
    KERNEL(name##_to_f64, type, double, widen_##name(v))    \
    KERNEL(name##_to_f32, type, float, widen_##name(v))     \
    KERNEL(name##_to_i64, type, int64_t, as_i64)            \
    KERNEL(name##_from_f64, double, type, narrow_##name(v)) \
    KERNEL(name##_from_f32, float, type, of_f32)            \
    KERNEL(name##_from_i64, int64_t, type, of_i64)

#define FLOAT_KERNELS(name, type)                                               \
    KERNELS(name, type, narrow_##name##_single(v), narrow_i64(widen_##name(v)), \
            narrow_##name((double)v))

FLOAT_KERNELS(f64, double)
FLOAT_KERNELS(f32, float)
FLOAT_KERNELS(f16, uint16_t)
FLOAT_KERNELS(bf16, uint16_t)
FLOAT_KERNELS(f8e4m3, uint8_t)
FLOAT_KERNELS(f8e5m2, uint8_t)
KERNELS(i64, int64_t, narrow_i64((double)v), v, v)
KERNELS(i32, int32_t, narrow_i32((double)v), v, MAX(INT32_MIN, MIN(INT32_MAX, v)))
KERNELS(i8, int8_t, narrow_i8((double)v), v, MAX(INT8_MIN, MIN(INT8_MAX, v)))
KERNELS(u8, uint8_t, narrow_u8((double)v), v, MAX(0, MIN(UINT8_MAX, v)))
KERNELS(bool, uint8_t, narrow_bool((double)v), v != 0, v != 0)

enum dlpack_code {
    DL_INT = 0,
    DL_UINT = 1,
    DL_FLOAT = 2,
    DL_BFLOAT = 4,
    DL_BOOL = 6,
    DL_E4M3 = 10,
    DL_E5M2 = 12
};

struct dtype_info {
    const char *name;
    size_t size;
    double roundoff; /* 0: an integer */
    uint8_t dlpack;
    convert_fn *to_f64, *to_f32, *to_i64, *from_f64, *from_f32, *from_i64;
};

#define ROW(name, size, roundoff, dlpack)                                           \
    {                                                                               \
#name, size, roundoff, dlpack, name##_to_f64, name##_to_f32, name##_to_i64, \
            name##_from_f64, name##_from_f32, name##_from_i64                       \
    }

static const struct dtype_info infos[DT_COUNT] = {
    [DT_F64] = ROW(f64, 8, 0x1p-53, DL_FLOAT),
    [DT_F32] = ROW(f32, 4, 0x1p-24, DL_FLOAT),
    [DT_F16] = ROW(f16, 2, 0x1p-11, DL_FLOAT),
    [DT_BF16] = ROW(bf16, 2, 0x1p-8, DL_BFLOAT),
    [DT_F8E4M3] = ROW(f8e4m3, 1, 0x1p-4, DL_E4M3),
    [DT_F8E5M2] = ROW(f8e5m2, 1, 0x1p-3, DL_E5M2),
    [DT_I64] = ROW(i64, 8, 0, DL_INT),
    [DT_I32] = ROW(i32, 4, 0, DL_INT),
    [DT_I8] = ROW(i8, 1, 0, DL_INT),
    [DT_U8] = ROW(u8, 1, 0, DL_UINT),
    [DT_BOOL] = ROW(bool, 1, 0, DL_BOOL),
};

static const struct dtype_info *info(enum dtype t)
{
    assert((unsigned)t < DT_COUNT);
    return &infos[t];
}

size_t dtype_size(enum dtype t)
{
    return info(t)->size;
}

const char *dtype_name(enum dtype t)
{
    return info(t)->name;
}

bool dtype_parse(const char *name, enum dtype *ret)
{
    for (int t = 0; t < DT_COUNT; t++) {
        if (strcmp(infos[t].name, name) == 0) {
            *ret = t;
            return true;
        }
    }
    return false;
}

bool dtype_is_float(enum dtype t)
{
    return info(t)->roundoff > 0;
}

double dtype_roundoff(enum dtype t)
{
    return info(t)->roundoff;
}

void dtype_dlpack(enum dtype t, uint8_t *ret_code, uint8_t *ret_bits)
{
    *ret_code = info(t)->dlpack;
    *ret_bits = (uint8_t)(8 * info(t)->size);
}

double dtype_load(enum dtype t, const void *at)
{
    double value;

    info(t)->to_f64(at, &value, 1);
    return value;
}

void dtype_store(enum dtype t, void *at, double value)
{
    info(t)->from_f64(&value, at, 1);
}

/* An honest run calls this per element, so the float types that it needs are written out. */
double dtype_round(enum dtype t, double value)
{
    uint64_t room;

    switch (t) {
    case DT_F64:
        return value;
    case DT_F32:
        return narrow_f32(value);
    case DT_F16:
        return widen_f16(narrow_f16(value));
    case DT_BF16:
        return widen_bf16(narrow_bf16(value));
    default:
        dtype_store(t, &room, value);
        return dtype_load(t, &room);
    }
}

float round_to(enum rounding r, float value)
{
    return round_value(r, value);
}

static void convert(convert_fn *fn, const char *src, size_t src_size, char *dst, size_t dst_size,
                    int64_t n)
{
    if (n < PARALLEL_MIN) {
        fn(src, dst, n);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int64_t at = 0; at < n; at += CHUNK)
        fn(src + at * (int64_t)src_size, dst + at * (int64_t)dst_size, MIN(CHUNK, n - at));
}

void dtype_to_f64(enum dtype t, const void *src, double *dst, int64_t n)
{
    convert(info(t)->to_f64, src, info(t)->size, (char *)dst, sizeof(*dst), n);
}

void dtype_to_f32(enum dtype t, const void *src, float *dst, int64_t n)
{
    convert(info(t)->to_f32, src, info(t)->size, (char *)dst, sizeof(*dst), n);
}

void dtype_to_i64(enum dtype t, const void *src, int64_t *dst, int64_t n)
{
    convert(info(t)->to_i64, src, info(t)->size, (char *)dst, sizeof(*dst), n);
}

void dtype_from_f64(enum dtype t, const double *src, void *dst, int64_t n)
{
    convert(info(t)->from_f64, (const char *)src, sizeof(*src), dst, info(t)->size, n);
}

void dtype_from_f32(enum dtype t, const float *src, void *dst, int64_t n)
{
    convert(info(t)->from_f32, (const char *)src, sizeof(*src), dst, info(t)->size, n);
}

void dtype_from_i64(enum dtype t, const int64_t *src, void *dst, int64_t n)
{
    convert(info(t)->from_i64, (const char *)src, sizeof(*src), dst, info(t)->size, n);
}
