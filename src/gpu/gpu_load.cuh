/* SPDX-License-Identifier: MIT */
/* Loads operands of any dtype, one element or four at a time. A switch over dtypes takes the same
 * way in a whole launch, so it costs nothing beside the memory access. */
#include "device/cuda/cuda_thread.cuh"

template <class R> struct is_integer {
    static constexpr bool value = (R)1 / 2 == 0;
};

#define REAL_TYPES(CASE)                    \
    CASE(DT_F64, double, widen_f64)         \
    CASE(DT_F32, float, widen_f32)          \
    CASE(DT_F16, uint16_t, widen_f16)       \
    CASE(DT_BF16, uint16_t, widen_bf16)     \
    CASE(DT_F8E4M3, uint8_t, widen_f8e4m3)  \
    CASE(DT_F8E5M2, uint8_t, widen_f8e5m2)
#define INTEGER_TYPES(CASE)                 \
    CASE(DT_I64, int64_t, (int64_t))        \
    CASE(DT_I32, int32_t, (int64_t))        \
    CASE(DT_I8, int8_t, (int64_t))          \
    CASE(DT_U8, uint8_t, (int64_t))         \
    CASE(DT_BOOL, uint8_t, widen_bool)

template <class R> static __device__ __forceinline__ R load(struct typed x, int64_t i)
{
#define LOAD_CASE(code, element, widen) \
    case code:                          \
        return (R)widen(((const element *)x.at)[i]);

    if constexpr (is_integer<R>::value) {
        switch (x.type) {
            INTEGER_TYPES(LOAD_CASE)
        default:
            return 0;
        }
    } else {
        switch (x.type) {
            REAL_TYPES(LOAD_CASE)
        default:
            return 0;
        }
    }
#undef LOAD_CASE
}

/* Element i of the shape that ax walks from `start` on, for the few elements that no faster
 * function loads. */
template <class R>
static __device__ __noinline__ R load_at(struct typed x, const struct axes *ax, int64_t start,
                                         int64_t i)
{
    return load<R>(x, start + axes_offset(ax, i));
}

/* W neighbours that are loaded or stored by one instruction; their address has to be aligned. */
template <class E, int W> struct alignas(W * sizeof(E)) neighbours {
    E v[W];
};
template <class E> using quad = neighbours<E, 4>;

template <class E> static __device__ __forceinline__ quad<E> load_quad(const E *p, int64_t stride)
{
    if (stride == 1 && (uint64_t)p % sizeof(quad<E>) == 0)
        return *(const quad<E> *)p;
    return {{p[0], p[stride], p[2 * stride], p[3 * stride]}};
}

/* Loads N fours of elements i, i + stride, ..., the fours `apart` from each other. All loads are
 * issued before the first element is widened. */
template <class R, int N>
static __device__ __forceinline__ void load_fours(struct typed x, int64_t i, int64_t stride,
                                                  int64_t apart, R v[N][4])
{
#define LOAD_FOURS_CASE(code, element, widen)                                         \
    case code: {                                                                      \
        quad<element> q[N];                                                           \
                                                                                      \
        for (int n = 0; n < N; n++)                                                   \
            q[n] = load_quad((const element *)x.at + i + n * apart, stride);          \
        for (int n = 0; n < N; n++)                                                   \
            for (int j = 0; j < 4; j++)                                               \
                v[n][j] = (R)widen(q[n].v[j]);                                        \
        break;                                                                        \
    }

    if constexpr (is_integer<R>::value) {
        switch (x.type) { INTEGER_TYPES(LOAD_FOURS_CASE) }
    } else {
        switch (x.type) { REAL_TYPES(LOAD_FOURS_CASE) }
    }
#undef LOAD_FOURS_CASE
}

template <class R>
static __device__ __forceinline__ void load4(struct typed x, int64_t i, int64_t stride, R v[4])
{
    load_fours<R, 1>(x, i, stride, 0, (R(*)[4])v);
}

/* Stores the first `left` elements of v at y[i]; four in one store if they are aligned. */
template <class R>
static __device__ __forceinline__ void store4(R *y, int64_t i, const R v[4], int left)
{
    y += i;
    if (left >= 4 && (uint64_t)y % sizeof(quad<R>) == 0) {
        *(quad<R> *)y = {{v[0], v[1], v[2], v[3]}};
        return;
    }
    for (int j = 0; j < 4; j++) {
        if (j < left)
            y[j] = v[j];
    }
}

/* ---- the items of each real type, as one name ---- */

#define ITEM_IN struct typed
#define ITEM_AT(x, i) load<REAL>(x, i)

#define REAL double
#define ITEM(name) item_##name##_f64
#define ITEM_INTEGER 0
#define ITEM_MATH(name) name
#include "ops/items.h"
#undef REAL
#undef ITEM
#undef ITEM_INTEGER
#undef ITEM_MATH

#define REAL float
#define ITEM(name) item_##name##_f32
#define ITEM_INTEGER 0
#define ITEM_MATH(name) name##f
#include "ops/items.h"
#undef REAL
#undef ITEM
#undef ITEM_INTEGER
#undef ITEM_MATH

#define REAL int64_t
#define ITEM(name) item_##name##_i64
#define ITEM_INTEGER 1
#include "ops/items.h"
#undef REAL
#undef ITEM
#undef ITEM_INTEGER

template <class R> struct items;

#define ITEMS_CALL(R, suffix, name, ...)                     \
    template <class... A>                                    \
    static __device__ __forceinline__ auto name(A... args)   \
    {                                                        \
        return item_##name##_##suffix(args...);              \
    }
#define ITEMS_BOTH(R, suffix)             \
    ITEMS_CALL(R, suffix, unary)          \
    ITEMS_CALL(R, suffix, binary)         \
    ITEMS_CALL(R, suffix, compare)        \
    ITEMS_CALL(R, suffix, neutral)        \
    ITEMS_CALL(R, suffix, combine)        \
    ITEMS_CALL(R, suffix, plus)           \
    ITEMS_CALL(R, suffix, times)          \
    ITEMS_CALL(R, suffix, fused)          \
    ITEMS_CALL(R, suffix, fused_end)      \
    ITEMS_CALL(R, suffix, reduce_lane)    \
    ITEMS_CALL(R, suffix, arg)            \
    ITEMS_CALL(R, suffix, topk)           \
    ITEMS_CALL(R, suffix, is_larger)      \
    ITEMS_CALL(R, suffix, dot)            \
    ITEMS_CALL(R, suffix, pad)            \
    ITEMS_CALL(R, suffix, gather)         \
    ITEMS_CALL(R, suffix, take)
#define ITEMS_REAL(R, suffix)             \
    ITEMS_CALL(R, suffix, conv)           \
    ITEMS_CALL(R, suffix, pool)           \
    ITEMS_CALL(R, suffix, cell)           \
    ITEMS_CALL(R, suffix, delta_step)

template <> struct items<double> {
    ITEMS_BOTH(double, f64)
    ITEMS_REAL(double, f64)
};
template <> struct items<float> {
    ITEMS_BOTH(float, f32)
    ITEMS_REAL(float, f32)
};
template <> struct items<int64_t> {
    ITEMS_BOTH(int64_t, i64)
};

/* ---- kernels and threads ---- */

/* A kernel's arguments, which stay in constant memory even though helpers take their address. */
#define ARGS(name) const __grid_constant__ struct name

/* Makes one kernel per type from a template name##_all<R>. */
#define KERNEL_OF(name, args, suffix, R)        \
    KERNEL name##_##suffix(ARGS(args) a)        \
    {                                           \
        name##_all<R>(a);                       \
    }
#define REAL_KERNELS(name, args)        \
    KERNEL_OF(name, args, f64, double)  \
    KERNEL_OF(name, args, f32, float)
#define ALL_KERNELS(name, args)         \
    REAL_KERNELS(name, args)            \
    KERNEL_OF(name, args, i64, int64_t)

#define FOR_EACH(i, n) \
    ITEM_ROLLED        \
    for (int64_t i = thread_index(); i < (n); i += thread_count())
/* A loop in which a thread takes four neighbouring elements at a time. */
#define FOR_EACH_FOUR(i, n) \
    ITEM_ROLLED             \
    for (int64_t i = 4 * thread_index(); i < (n); i += 4 * thread_count())
