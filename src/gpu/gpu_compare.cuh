/* SPDX-License-Identifier: MIT */
/* A pass whose values are compared while they are made. Expected values are never stored; only the
 * pass's operands and the compared elements are read. Figures and fingerprint are the same, to the
 * bit, as those of a comparison with stored values: the comparison is the same template, and the
 * steps are the same (gpu_special.cuh). */
#ifndef ASSAY_GPU_GPU_COMPARE_CUH
#define ASSAY_GPU_GPU_COMPARE_CUH

#include "device/cuda/cuda_compare.cuh"
#include "gpu/gpu_special.cuh"

/* Element i of the pass, for the few elements that are compared one by one. */
template <class S>
static __device__ __noinline__ double special_one(const struct gpu_special &a, int64_t i)
{
    operands<S, 1> x;
    double v[1];

    x.fetch(a, i);
    special_make<S, 1>(a, x, v);
    return v[0];
}

/* The values of pass S from `first` on. */
template <class S> struct made_values {
    const struct gpu_special &a;
    int64_t first;

    __device__ __forceinline__ made_values operator+(int64_t k) const
    {
        return {a, first + k};
    }
    __device__ __forceinline__ double operator[](int64_t k) const
    {
        return special_one<S>(a, first + k);
    }
};

/* Pairs can always be fetched: every chunk, step and pair begins at an even place. */
template <class S> static __device__ __forceinline__ bool lies_for_pairs(const made_values<S> &)
{
    return true;
}

template <class S>
static __device__ __forceinline__ operands<S, 2> fetch_pair(const made_values<S> &y)
{
    operands<S, 2> x;

    x.fetch(y.a, y.first);
    return x;
}

template <class S>
static __device__ __forceinline__ pair<double> pair_of(const made_values<S> &y,
                                                       const operands<S, 2> &fetched)
{
    pair<double> v;

    special_make<S, 2>(y.a, fetched, v.v);
    return v;
}

/* Blocks per multiprocessor: four, as in comparisons with stored values, if operands take no more
 * registers than a pair of doubles; else three, as in passes that are stored. */
template <class S> static __device__ constexpr int compare_blocks()
{
    return operands<S, 2>::registers <= 4 ? 4 : 3;
}

/* The kernel of pass S; T is the dtype of the compared elements. */
#define SPECIAL_COMPARE(S, T)                                                          \
    extern "C" __global__ void __launch_bounds__(CUDA_THREADS, compare_blocks<S>())    \
        special(ARGS(cuda_compare) c, struct cuda_figures *parts, ARGS(gpu_special) a) \
    {                                                                                  \
        compare<type_##T>(c, made_values<S>{a, 0}, parts);                             \
    }

#endif
