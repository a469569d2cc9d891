/* SPDX-License-Identifier: MIT */
/* Element types of the judge's kernels. */
#ifndef ASSAY_DEVICE_CUDA_TYPES_CUH
#define ASSAY_DEVICE_CUDA_TYPES_CUH

#include "tensor/dtype.h"
#include "tensor/narrow.h"

/* type_T: how an element of T lies in memory, and its conversion to and from the type that the
 * judge computes in. */
#define FLOAT_TYPE(name, type)                    \
    struct type_##name {                          \
        typedef type element;                     \
        static constexpr bool is_integer = false; \
        static __device__ type narrow(float v)    \
        {                                         \
            return narrow_##name##_single(v);     \
        }                                         \
        static __device__ type narrow(double v)   \
        {                                         \
            return narrow_##name(v);              \
        }                                         \
        static __device__ double widen(type v)    \
        {                                         \
            return widen_##name(v);               \
        }                                         \
    };

#define INTEGER_TYPE(name, type, low, high)                     \
    struct type_##name {                                        \
        typedef type element;                                   \
        static constexpr bool is_integer = true;                \
        static __device__ type narrow(int64_t v)                \
        {                                                       \
            return (type)(v < low ? low : v > high ? high : v); \
        }                                                       \
        static __device__ int64_t widen(type v)                 \
        {                                                       \
            return v;                                           \
        }                                                       \
    };

FLOAT_TYPE(f64, double)
FLOAT_TYPE(f32, float)
FLOAT_TYPE(f16, uint16_t)
FLOAT_TYPE(bf16, uint16_t)
FLOAT_TYPE(f8e4m3, uint8_t)
FLOAT_TYPE(f8e5m2, uint8_t)
INTEGER_TYPE(i64, int64_t, INT64_MIN, INT64_MAX)
INTEGER_TYPE(i32, int32_t, INT32_MIN, INT32_MAX)
INTEGER_TYPE(i8, int8_t, -128, 127)
INTEGER_TYPE(u8, uint8_t, 0, 255)
/* bool is read as u8: a byte that is neither 0 nor 1 is no bool, and may be poison. */
INTEGER_TYPE(bool, uint8_t, 0, 1)

#endif
