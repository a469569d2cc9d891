/* SPDX-License-Identifier: MIT */
/* Sketches (tensor/sketch.h) on a GPU. Elements are met as in a comparison, by the same threads and
 * with the scales of the same rows; what a thread meets of a chunk is a block, and of as many
 * chunks as a group has blocks, a group. */
#ifndef ASSAY_DEVICE_CUDA_SKETCH_CUH
#define ASSAY_DEVICE_CUDA_SKETCH_CUH

#include "device/cuda_compare.cuh"
#include "tensor/sketch.h"

static_assert(CUDA_COMPARE_CHUNK == SKETCH_SUMS * CUDA_THREADS, "a block of each thread");
static_assert(CUDA_THREADS == SKETCH_BESIDE, "a group of each thread");
static_assert(CUDA_COMPARE_CHUNK == 2 * STEP, "its halves are steps");

/* One by low: not to the last bit, but the same whenever it is asked for. */
static __device__ __forceinline__ double weight_of(const struct scale &s)
{
    return s.unit * (double)reciprocal(s.low);
}

/* A thread's elements of a step, all there and lying for pairs. simple: what gives their scales. */
template <class T, class Rows>
static __device__ __forceinline__ void take_step(const typename T::element *got, const Rows &simple,
                                                 int first, double v[2 * PAIRS])
{
    pair<typename T::element> have[PAIRS];

#pragma unroll
    for (int j = 0; j < PAIRS; j++)
        have[j] = *(const pair<typename T::element> *)(got + first + step_place(2 * j));
#pragma unroll
    for (int i = 0; i < 2 * PAIRS; i++)
        v[i] = T::widen(have[i / 2].v[i % 2]) * weight_of(simple.scale_at(first + step_place(i)));
}

/* Those that lie before n, wherever and in whatever rows; zeros for the others. */
template <class T, class Rows>
static __device__ __forceinline__ void take_each(const typename T::element *got, int n,
                                                 const Rows &rows, int first, double v[2 * PAIRS])
{
#pragma unroll
    for (int i = 0; i < 2 * PAIRS; i++) {
        int k = first + step_place(i);

        v[i] = k < n ? T::widen(got[k]) * weight_of(scale_of(rows.low_at(k))) : 0;
    }
}

/* The chunk that begins at `from`. */
template <class T, class Rows>
static __device__ __forceinline__ void sketch_chunk(const struct cuda_compare &c, int64_t from,
                                                    uint32_t signs, struct sketch_sums *sums)
{
    typedef typename T::element element;
    const element *got = (const element *)c.got + from;
    bool aligned = (uint64_t)got % sizeof(pair<element>) == 0;
    Rows rows(c, from);
    int n = c.n - from < CUDA_COMPARE_CHUNK ? (int)(c.n - from) : CUDA_COMPARE_CHUNK;
    double v[SKETCH_SUMS];

    if (aligned && n == CUDA_COMPARE_CHUNK && rows.is_simple(0) && rows.is_simple(STEP)) {
        take_step<T>(got, rows.simple(0), 0, v);
        take_step<T>(got, rows.simple(STEP), STEP, v + 2 * PAIRS);
    } else {
        take_each<T>(got, n, rows, 0, v);
        take_each<T>(got, n, rows, STEP, v + 2 * PAIRS);
    }
    sketch_add(sums, v, signs);
}

/* Calls use(group, sums) for each of the thread's groups. */
template <class T, class Rows, class Use>
static __device__ __forceinline__ void sketch_groups(const struct cuda_compare &c, uint64_t key,
                                                     const Use &use)
{
    int64_t stride = (int64_t)gridDim.x * SKETCH_SPAN;

    for (int64_t from = (int64_t)blockIdx.x * SKETCH_SPAN; from < c.n; from += stride) {
        int64_t group = from / SKETCH_GROUP + threadIdx.x;
        struct sketch_sums sums = {{0}};

#pragma unroll 1
        for (int four = 0; four < SKETCH_BLOCKS / 4; four++) {
            struct philox signs = sketch_signs(key, group, four);

#pragma unroll
            for (int i = 0; i < 4; i++) {
                int64_t at = from + (int64_t)(4 * four + i) * CUDA_COMPARE_CHUNK;

                if (at < c.n)
                    sketch_chunk<T, Rows>(c, at, signs.v[i], &sums);
            }
        }
        use(group, sums);
    }
}

template <class T, class Use>
static __device__ __forceinline__ void sketch_all(const struct cuda_compare &c, uint64_t key,
                                                  const Use &use)
{
    if (c.row_len > 0 && c.row_len < CUDA_COMPARE_CHUNK)
        sketch_groups<T, short_rows>(c, key, use);
    else
        sketch_groups<T, long_rows>(c, key, use);
}

struct keep_groups {
    struct sketch_group *kept;

    __device__ void operator()(int64_t group, const struct sketch_sums &sums) const
    {
        kept[group] = sketch_kept(&sums);
    }
};

struct measure_groups {
    const struct sketch_group *kept;
    double *sum_sq, *max_sq;

    __device__ void operator()(int64_t group, const struct sketch_sums &sums) const
    {
        double sq = sketch_distance_sq(&sums, &kept[group]);

        *sum_sq += sq;
        *max_sq = sq > *max_sq ? sq : *max_sq;
    }
};

/* Two blocks: a block's numbers and a group's sums are 64 registers. */
#define SKETCH_KERNEL extern "C" __global__ void __launch_bounds__(CUDA_THREADS, 2)

/* Of doubles, at c.got. */
SKETCH_KERNEL sketch_f64(const __grid_constant__ struct cuda_compare c, uint64_t key,
                         struct sketch_group *kept)
{
    sketch_all<type_f64>(c, key, keep_groups{kept});
}

/* Every block leaves in parts the sum of its groups' distances, squared, and the largest. */
template <class T>
static __device__ __forceinline__ void distance(const struct cuda_compare &c, uint64_t key,
                                                const struct sketch_group *kept,
                                                struct cuda_figures *parts)
{
    __shared__ struct cuda_figures all[CUDA_THREADS];
    double sum_sq = 0, max_sq = 0;

    sketch_all<T>(c, key, measure_groups{kept, &sum_sq, &max_sq});
    all[threadIdx.x] = figures_none();
    all[threadIdx.x].sum_sq = sum_sq;
    all[threadIdx.x].max = max_sq;
    figures_of_block(all);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = all[0];
}

#define DISTANCE_KERNEL(name)                                                                  \
    SKETCH_KERNEL distance_##name(const __grid_constant__ struct cuda_compare c, uint64_t key, \
                                  const struct sketch_group *kept, struct cuda_figures *parts) \
    {                                                                                          \
        distance<type_##name>(c, key, kept, parts);                                            \
    }

DISTANCE_KERNEL(f64)
DISTANCE_KERNEL(f32)

#endif
