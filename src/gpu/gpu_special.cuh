/* SPDX-License-Identifier: MIT */
/* A pass over very many elements, compiled for exactly what it does. The text that gpu_special.c
 * writes includes this file and describes one pass in a struct S:
 *   real                      the type of the computation and of the result
 *   n, n_in, n_steps          the numbers of elements, operands and steps
 *   type[], ax[]              per operand its dtype or GPU_NUMBER, and how it is walked
 *   step[]                    the steps, as in struct pass_args
 * The steps are those of gpu_step.cuh, so the bits are those of the interpreter (pass_all). The
 * interpreter finds out the op and the type, and divides by the lengths of axes, for every four
 * elements; here these are constants. Numbers are still arguments: of a constant a compiler could
 * make another function (pow of 2 a product), with other bits. Addresses are aligned for loads of
 * four elements. */
#ifndef ASSAY_GPU_GPU_SPECIAL_CUH
#define ASSAY_GPU_GPU_SPECIAL_CUH

#include "gpu/gpu_kernels.h"
#include "problem/op_code.h"
#include "tensor/rounding.h"

#include "gpu/gpu_load.cuh"
#include "gpu/gpu_step.cuh"

/* ---- operands ---- */

template <int TYPE> struct element;

#define ELEMENT_OF(code, name, widen)                                       \
    template <> struct element<code> {                                      \
        typedef name type;                                                  \
        template <class R> static __device__ __forceinline__ R wide(name x) \
        {                                                                   \
            return (R)widen(x);                                             \
        }                                                                   \
    };
REAL_TYPES(ELEMENT_OF)
INTEGER_TYPES(ELEMENT_OF)

/* Whether W neighbours, of which the first is a multiple of W, are always in one row. */
template <int W> static __device__ constexpr bool rows_hold(const struct axes &ax)
{
    return ax.rank == 1 || ax.dim[ax.rank - 1] % W == 0;
}

/* Whether all W neighbours read the same operand element (stride 0). */
template <int W> static __device__ constexpr bool is_one_for_all(const struct axes &ax)
{
    return rows_hold<W>(ax) && ax.stride[ax.rank - 1] == 0;
}

/* Whether W neighbours are contiguous in the operand and aligned for one load of W. */
template <int W> static __device__ constexpr bool is_side_by_side(const struct axes &ax)
{
    for (int d = 0; d < ax.rank - 1; d++) {
        if (ax.stride[d] % W != 0)
            return false;
    }
    return rows_hold<W>(ax) && ax.stride[ax.rank - 1] == 1;
}

/* The offset of element i of the pass in operand K, by the axes up to D. */
template <class S, int K, int D, class U> static __device__ __forceinline__ int64_t place_of(U i)
{
    constexpr struct axes ax = S::ax[K];

    if constexpr (D == 0) {
        return (int64_t)i * ax.stride[0];
    } else {
        U rows = i / (U)ax.dim[D], over = i - rows * (U)ax.dim[D];

        return (int64_t)over * ax.stride[D] + place_of<S, K, D - 1, U>(rows);
    }
}

template <class S, int K> static __device__ __forceinline__ int64_t place(int64_t i)
{
    constexpr int last = S::ax[K].rank - 1;

    if constexpr (S::n <= UINT32_MAX)
        return place_of<S, K, last, uint32_t>((uint32_t)i);
    else
        return place_of<S, K, last, uint64_t>((uint64_t)i);
}

/* W elements of operand K in their own dtype: not widened yet, they take few registers while they
 * are loaded. */
template <class S, int W, int K, bool IS_NUMBER = S::type[K] == GPU_NUMBER> struct operand {
    typedef typename S::real R;
    typedef element<S::type[K]> E;
    typedef typename E::type T;
    static constexpr bool is_one = is_one_for_all<W>(S::ax[K]);
    static constexpr int registers = (is_one ? 1 : W) * (sizeof(T) > 4 ? 2 : 1);
    T v[is_one ? 1 : W];

    __device__ __forceinline__ void fetch(const struct gpu_special &a, int64_t i)
    {
        const T *x = (const T *)a.in[K];

        if constexpr (is_one) {
            v[0] = x[place<S, K>(i)];
        } else if constexpr (is_side_by_side<W>(S::ax[K])) {
            neighbours<T, W> q = *(const neighbours<T, W> *)(x + place<S, K>(i));

            for (int j = 0; j < W; j++)
                v[j] = q.v[j];
        } else {
            for (int j = 0; j < W; j++)
                v[j] = x[place<S, K>(i + j)];
        }
    }
    /* Fetches at the end if n is no multiple of W: the last element stands for those beyond it. */
    __device__ __forceinline__ void fetch_end(const struct gpu_special &a, int64_t i)
    {
        for (int j = 0; j < (is_one ? 1 : W); j++)
            v[j] = ((const T *)a.in[K])[place<S, K>(i + j < S::n ? i + j : S::n - 1)];
    }
    __device__ __forceinline__ R at(const struct gpu_special &, int j) const
    {
        return E::template wide<R>(v[is_one ? 0 : j]);
    }
};

template <class S, int W, int K> struct operand<S, W, K, true> {
    static constexpr int registers = 0;

    __device__ __forceinline__ void fetch(const struct gpu_special &, int64_t)
    {
    }
    __device__ __forceinline__ void fetch_end(const struct gpu_special &, int64_t)
    {
    }
    __device__ __forceinline__ typename S::real at(const struct gpu_special &a, int) const
    {
        return (typename S::real)a.number[K];
    }
};

/* Operand K and those after it. */
template <class S, int W, int K = 0, bool IS_END = K == S::n_in> struct operands {
    operand<S, W, K> first;
    operands<S, W, K + 1> others;
    static constexpr int registers = operand<S, W, K>::registers + operands<S, W, K + 1>::registers;

    __device__ __forceinline__ void fetch(const struct gpu_special &a, int64_t i)
    {
        first.fetch(a, i);
        others.fetch(a, i);
    }
    __device__ __forceinline__ void fetch_end(const struct gpu_special &a, int64_t i)
    {
        first.fetch_end(a, i);
        others.fetch_end(a, i);
    }
    template <int WHICH>
    __device__ __forceinline__ void take(const struct gpu_special &a, typename S::real v[W]) const
    {
        if constexpr (WHICH == K) {
            for (int j = 0; j < W; j++)
                v[j] = first.at(a, j);
        } else {
            others.template take<WHICH>(a, v);
        }
    }
};

template <class S, int W, int K> struct operands<S, W, K, true> {
    static constexpr int registers = 0;

    __device__ __forceinline__ void fetch(const struct gpu_special &, int64_t)
    {
    }
    __device__ __forceinline__ void fetch_end(const struct gpu_special &, int64_t)
    {
    }
};

/* ---- steps ---- */

/* Step NTH and those after it. */
template <class S, int W, int NTH = 0>
static __device__ __forceinline__ void steps_from(const struct gpu_special &a,
                                                  const operands<S, W> &x, typename S::real v[W])
{
    typedef typename S::real R;

    if constexpr (NTH < S::n_steps) {
        constexpr struct pass_step s = S::step[NTH];
        R was[W], other[W];

        for (int j = 0; j < W; j++)
            was[j] = other[j] = v[j];
        if constexpr (s.op < OP_ADD) {
            unary_each<W, R>(s.op, was, v);
        } else {
            if constexpr (s.with != PASS_VALUE)
                x.template take<s.with>(a, other);
            binary_each<W, R>(s.op, s.is_second ? other : was, s.is_second ? was : other, v);
        }
        steps_from<S, W, NTH + 1>(a, x, v);
    }
}

/* Computes the pass's values from the operands that were fetched. */
template <class S, int W>
static __device__ __forceinline__ void special_make(const struct gpu_special &a,
                                                    const operands<S, W> &x, typename S::real v[W])
{
    x.template take<0>(a, v);
    steps_from<S, W>(a, x, v);
}

/* Blocks per multiprocessor. Three have 80 registers per thread, and softmax's pass over
 * 4096 x 393216 takes 7.5 ms on an H200; with four (64 registers) it takes 8.0. Passes whose
 * operands do not fit into half of the 80 registers have two blocks. */
template <class S> static __device__ constexpr int blocks_at_a_time()
{
    return operands<S, 4>::registers <= 40 ? 3 : 2;
}

template <class S> static __device__ __forceinline__ bool is_whole(int64_t i)
{
    return S::n % 4 == 0 || i + 4 <= S::n;
}

template <class S>
static __device__ __forceinline__ void special_store(const struct gpu_special &a, int64_t i,
                                                     const typename S::real v[4])
{
    typedef typename S::real R;
    R *y = (R *)a.y + i;

    if (is_whole<S>(i)) {
        *(neighbours<R, 4> *)y = {{v[0], v[1], v[2], v[3]}};
        return;
    }
    for (int j = 0; j < (int)(S::n % 4); j++)
        y[j] = v[j];
}

/* A thread takes four elements at a time. With two such fours in flight, ReLU's pass took 7.9 ms
 * instead of 5.0. */
template <class S> static __device__ __forceinline__ void special_all(const struct gpu_special &a)
{
    constexpr int64_t tile = 4 * CUDA_THREADS;

    ITEM_ROLLED
    for (int64_t i = blockIdx.x * tile + 4 * threadIdx.x; i < S::n; i += gridDim.x * tile) {
        operands<S, 4> x;
        typename S::real v[4];

        if (is_whole<S>(i))
            x.fetch(a, i);
        else
            x.fetch_end(a, i);
        special_make<S, 4>(a, x, v);
        special_store<S>(a, i, v);
    }
}

#define SPECIAL_KERNEL(S)                                                           \
    extern "C" __global__ void __launch_bounds__(CUDA_THREADS, blocks_at_a_time<S>()) \
        special(ARGS(gpu_special) a)                                                \
    {                                                                               \
        special_all<S>(a);                                                          \
    }

#endif
