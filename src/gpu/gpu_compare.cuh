/* SPDX-License-Identifier: MIT */
/* A pass that something is compared with as it is made: what is expected is never stored, and memory
 * is read for the pass's operands and for what is compared alone. Figures and fingerprint are those
 * of a comparison with what the pass stores, bit for bit: the comparison is the same template, the
 * steps are the same (gpu_special.cuh). */
#ifndef ASSAY_GPU_GPU_COMPARE_CUH
#define ASSAY_GPU_GPU_COMPARE_CUH

#include "device/cuda/cuda_compare.cuh"
#include "gpu/gpu_special.cuh"

/* One element, for the few that are looked at one by one. */
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

/* A chunk, a step and a pair begin at an even place. */
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

/* Four blocks fit onto a multiprocessor, as of what lies in memory, where operands take no more
 * registers than a pair of doubles; else three, as of passes that are stored. */
template <class S> static __device__ constexpr int compare_blocks()
{
    return operands<S, 2>::registers <= 4 ? 4 : 3;
}

/* T: the dtype of what is compared. */
#define SPECIAL_COMPARE(S, T)                                                          \
    extern "C" __global__ void __launch_bounds__(CUDA_THREADS, compare_blocks<S>())    \
        special(ARGS(cuda_compare) c, struct cuda_figures *parts, ARGS(gpu_special) a) \
    {                                                                                  \
        compare<type_##T>(c, made_values<S>{a, 0}, parts);                             \
    }

#endif
