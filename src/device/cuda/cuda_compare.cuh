/* SPDX-License-Identifier: MIT */
/* The work of compare.c on a GPU, with a fingerprint (tensor/fingerprint.h) of the compared bits.
 *
 * Places and maxima equal the CPU's exactly, unless every error is below 2^-100 of its scale: then
 * some errors count as none. The sum of squares is of quotients in float, within 2^-19 of the
 * CPU's, and added in an order that depends on the number of elements alone.
 *
 * Expected values need not lie in memory. V is a pointer to them, or a class that gives them in the
 * same way: y + from, y[k], and pairs of neighbours in two parts (fetch_pair, pair_of), if
 * lies_for_pairs() allows pairs. Two parts, so that all that a thread takes at a time is fetched
 * before the first is needed. Figures do not depend on V: the same thread meets the same elements
 * in the same order. */
#ifndef ASSAY_DEVICE_CUDA_COMPARE_CUH
#define ASSAY_DEVICE_CUDA_COMPARE_CUH

#include "device/cuda/cuda_kernels.h"
#include "device/cuda/cuda_thread.cuh"
#include "device/cuda/cuda_types.cuh"

/* ---- the figures ---- */

/* Figures of no element; max is below that of any element. */
static __device__ struct cuda_figures figures_none()
{
    struct cuda_figures f = {0, -1, CUDA_NOWHERE, 0, 0, 0, CUDA_NOWHERE, 0, CUDA_NOWHERE, {0, 0}};

    return f;
}

static __device__ bool is_above(double max, int64_t at, const struct cuda_figures *than)
{
    return max > than->max || (max == than->max && at < than->max_at);
}

static __device__ void figures_merge(struct cuda_figures *a, const struct cuda_figures *b)
{
    if (is_above(b->max, b->max_at, a)) {
        a->max = b->max;
        a->max_at = b->max_at;
        a->got = b->got;
        a->want = b->want;
    }
    a->sum_sq += b->sum_sq;
    a->n_nonfinite += b->n_nonfinite;
    a->n_unequal += b->n_unequal;
    a->first_nonfinite =
        b->first_nonfinite < a->first_nonfinite ? b->first_nonfinite : a->first_nonfinite;
    a->first_unequal = b->first_unequal < a->first_unequal ? b->first_unequal : a->first_unequal;
    for (int row = 0; row < FINGERPRINT_ROWS; row++)
        a->print[row] = fingerprint_least(a->print[row] + b->print[row]);
}

/* Puts the block's figures into all[0], from those of its threads. Halves are added, always the
 * same ones. */
static __device__ void figures_of_block(struct cuda_figures all[CUDA_THREADS])
{
    int me = threadIdx.x;

    for (int half = CUDA_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (me < half)
            figures_merge(&all[me], &all[me + half]);
    }
}

static __device__ void see(struct cuda_figures *f, double y, double got, double low, int64_t at)
{
    double ratio = 0;

    if (isfinite(y) && isfinite(got)) {
        double r = fabs(y) > low ? fabs(y) : low;

        if (got != y)
            ratio = fabs(got - y) / r;
    } else if (!(got == y || (isnan(got) && isnan(y)))) {
        f->n_nonfinite++;
        f->first_nonfinite = at < f->first_nonfinite ? at : f->first_nonfinite;
    }
    if (isfinite(ratio))
        f->sum_sq += ratio * ratio;
    if (is_above(ratio, at, f)) {
        f->max = ratio;
        f->max_at = at;
    }
}

static __device__ __forceinline__ void see(struct cuda_figures *f, int64_t y, int64_t got, double,
                                           int64_t at)
{
    double differs = got != y;

    f->n_unequal += got != y;
    if (got != y && at < f->first_unequal)
        f->first_unequal = at;
    if (is_above(differs, at, f)) {
        f->max = differs;
        f->max_at = at;
    }
}

/* Pairs of neighbours that a thread takes at a time, 2 * CUDA_THREADS apart, so that a warp reads
 * whole lines and all of it is on its way at once. */
#define PAIRS 4
#define STEP (2 * PAIRS * CUDA_THREADS)
static_assert(CUDA_COMPARE_CHUNK % STEP == 0, "a chunk is so many steps");

/* The divisor of an ordinary error, in float: the larger of low and |y|, both times unit, a power
 * of two that brings low to 1 .. 2. If low is 0 or out of the range for that, unit is NaN, and no
 * element is ordinary. */
struct scale {
    double unit;
    float low;
};

static __device__ struct scale scale_of(double low)
{
    uint64_t bits = bits_of_f64(low);
    unsigned exponent = (unsigned)(bits >> 52); /* low is never negative */
    bool usual = exponent - 1 < 2045;
    struct scale s = {
        f64_of_bits(usual ? (uint64_t)(2046 - exponent) << 52 : 0x7FF8000000000000u),
        f32_of_bits(0x3F800000u | ((uint32_t)(bits >> 29) & 0x7FFFFF)),
    };

    return s;
}

static __device__ double low_of(double row_rms, double floor)
{
    return row_rms > floor ? row_rms : floor;
}

/* The scale of a step whose elements lie in one row. */
struct one_row {
    struct scale scale;

    __device__ struct scale scale_at(int) const
    {
        return scale;
    }
};

/* The scales of a chunk whose elements lie in one row, or in two. */
struct long_rows {
    double low, next;
    struct scale scale, next_scale;
    int edge; /* the first element of the next row */

    __device__ long_rows(const struct cuda_compare &c, int64_t from)
    {
        int64_t row = c.row_len ? from / c.row_len : 0;
        int64_t left = c.row_len ? (row + 1) * c.row_len - from : CUDA_COMPARE_CHUNK;

        edge = left < CUDA_COMPARE_CHUNK ? (int)left : CUDA_COMPARE_CHUNK;
        low = c.row_len ? low_of(c.row_rms[row], c.floor) : c.low;
        next = edge < CUDA_COMPARE_CHUNK && from + left < c.n
                   ? low_of(c.row_rms[row + 1], c.floor)
                   : low;
        scale = scale_of(low);
        next_scale = scale_of(next);
    }
    __device__ double low_at(int k) const
    {
        return k < edge ? low : next;
    }
    __device__ struct scale scale_at(int k) const
    {
        return k < edge ? scale : next_scale;
    }
    /* simple() gives the scales of the step at k at the least cost, if is_simple(). */
    __device__ bool is_simple(int k) const
    {
        return k >= edge || k + STEP <= edge;
    }
    __device__ struct one_row simple(int k) const
    {
        return {scale_at(k)};
    }
};

/* The scales of a chunk that is longer than its rows. Rows are found by a product with 2^31 /
 * row_len: exact, because k * row_len stays below 2^31. */
struct short_rows {
    const double *rms; /* RMS of the row that the chunk begins in, and of those that follow */
    double floor;
    unsigned start; /* place in that row where the chunk begins */
    unsigned inverse;

    __device__ short_rows(const struct cuda_compare &c, int64_t from)
    {
        int64_t row = from / c.row_len;

        rms = c.row_rms + row;
        floor = c.floor;
        start = (unsigned)(from - row * c.row_len);
        inverse = (1u << 31) / (unsigned)c.row_len + 1;
    }
    __device__ double low_at(int k) const
    {
        return low_of(rms[((uint64_t)(start + (unsigned)k) * inverse) >> 31], floor);
    }
    __device__ struct scale scale_at(int k) const
    {
        return scale_of(low_at(k));
    }
    __device__ bool is_simple(int) const
    {
        return true;
    }
    __device__ const struct short_rows &simple(int) const
    {
        return *this;
    }
};

template <class E> struct alignas(2 * sizeof(E)) pair {
    E v[2];
};

/* The i-th of a thread's elements of a step. */
static __device__ int step_place(int i)
{
    return 2 * (i / 2 * CUDA_THREADS + (int)threadIdx.x) + i % 2;
}

/* ---- the fingerprint ---- */

/* A fingerprint takes a thread's pairs of a step as words: two or four words a pair, or one with
 * the second element above the first. A block's steps follow one another as the powers of beta, and
 * each thread of the grid has a factor. So a fingerprint depends on the number of blocks, which
 * depends on n alone. */

static __device__ __forceinline__ uint64_t bits_of(double v)
{
    return bits_of_f64(v);
}

static __device__ __forceinline__ uint32_t bits_of(float v)
{
    return bits_of_f32(v);
}

static __device__ __forceinline__ uint64_t bits_of(int64_t v)
{
    return (uint64_t)v;
}

static __device__ __forceinline__ uint32_t bits_of(int32_t v)
{
    return (uint32_t)v;
}

static __device__ __forceinline__ uint32_t bits_of(uint16_t v)
{
    return v;
}

static __device__ __forceinline__ uint32_t bits_of(uint8_t v)
{
    return v;
}

static __device__ __forceinline__ uint32_t bits_of(int8_t v)
{
    return (uint8_t)v;
}

template <class E> struct words {
    static constexpr int count = sizeof(E) < 4 ? 1 : sizeof(E) / 2; /* words of a pair */

    static __device__ uint32_t get(const pair<E> &p, int i)
    {
        if constexpr (sizeof(E) == 8)
            return (uint32_t)(bits_of(p.v[i / 2]) >> (i % 2 * 32));
        else if constexpr (sizeof(E) == 4)
            return bits_of(p.v[i]);
        else
            return bits_of(p.v[0]) | bits_of(p.v[1]) << (8 * sizeof(E));
    }
};

/* Sums over a thread's words of one step. */
struct word_sums {
    uint64_t v[FINGERPRINT_ROWS];
};

template <class E>
static __device__ __forceinline__ struct word_sums
sum_words(const pair<E> have[PAIRS], const struct fingerprint_secrets &s)
{
    constexpr int count = words<E>::count;
    struct word_sums sums = {{0, 0}};

    static_assert(PAIRS * count <= FINGERPRINT_WORDS, "a coefficient for each");
#pragma unroll
    for (int i = 0; i < PAIRS * count; i++) {
        uint32_t word = words<E>::get(have[i / count], i % count);

#pragma unroll
        for (int row = 0; row < FINGERPRINT_ROWS; row++)
            sums.v[row] += (uint64_t)s.a[row][i] * word;
    }
    return sums;
}

/* Sums over a step's elements that lie before n; the others count as zeros. */
template <class E>
static __device__ __noinline__ struct word_sums sum_last(const E *got, int n, int first,
                                                         const struct fingerprint_secrets &s)
{
    pair<E> have[PAIRS];

#pragma unroll
    for (int i = 0; i < 2 * PAIRS; i++) {
        int k = first + step_place(i);

        have[i / 2].v[i % 2] = k < n ? got[k] : (E)0;
    }
    return sum_words(have, s);
}

/* A thread's fingerprint, of the steps that it has seen so far. */
struct printer {
    uint64_t *print; /* [FINGERPRINT_ROWS] */
    const struct fingerprint_secrets &secrets;

    __device__ void add(const struct word_sums &sums) const
    {
#pragma unroll
        for (int row = 0; row < FINGERPRINT_ROWS; row++)
            print[row] = fingerprint_times(print[row], secrets.beta[row], sums.v[row]);
    }
    /* Called once after the last element. */
    __device__ void finish() const
    {
        struct philox lane = fingerprint_draw(secrets.key, 2, (uint32_t)thread_index());

        for (int row = 0; row < FINGERPRINT_ROWS; row++)
            print[row] =
                fingerprint_least(fingerprint_times(print[row], fingerprint_factor(&lane, row), 0));
    }
};

/* ---- expected values that lie in memory ---- */

template <class Y> static __device__ __forceinline__ bool lies_for_pairs(const Y *y)
{
    return (uint64_t)y % sizeof(pair<Y>) == 0;
}

template <class Y> static __device__ __forceinline__ pair<Y> fetch_pair(const Y *y)
{
    return *(const pair<Y> *)y;
}

template <class Y>
static __device__ __forceinline__ pair<Y> pair_of(const Y *, const pair<Y> &fetched)
{
    return fetched;
}

/* ---- the elements ---- */

/* Looks at the elements of a thread that lie before n, one by one. */
template <class T, class V, class Rows>
static __device__ __noinline__ void see_each(struct cuda_figures *f, V y,
                                             const typename T::element *got, int n, Rows rows,
                                             int first, int64_t at)
{
    for (int i = 0; i < 2 * PAIRS; i++) {
        int k = first + step_place(i);

        if (k < n)
            see(f, y[k], T::widen(got[k]), rows.low_at(k), at + k);
    }
}

/* Ratios above this, and the numbers that they are made of, have all bits of a float. */
#define SMALL 0x1p-100f

/* 1 / x within 1 ulp; 0 above 2^126. */
static __device__ float reciprocal(float x)
{
#ifdef __CUDA_ARCH__
    float y;

    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return 1 / x;
#endif
}

/* Figures of a thread's elements of a step, in float: a ratio above SMALL is within 2^-20 of the
 * exact one. As in compare.c, elements that are not ordinary show in the sum of squares: if that is
 * not finite, the step is looked at again with care. */
struct quick_figures {
    float sum_sq, max;
};

template <class T, class Rows>
static __device__ __forceinline__ struct quick_figures
quick_quotients(const pair<double> want[PAIRS], const pair<typename T::element> have[PAIRS],
                const Rows &rows, int first)
{
    struct quick_figures f = {0, 0};
    float divisor = 0;

#pragma unroll
    for (int i = 0; i < 2 * PAIRS; i++) {
        double w = want[i / 2].v[i % 2], off = fabs(T::widen(have[i / 2].v[i % 2]) - w);
        struct scale scale = rows.scale_at(first + step_place(i));
        float r = fmaxf((float)(fabs(w) * scale.unit), scale.low);
        float ratio = (float)(off * scale.unit) * reciprocal(r);

        f.sum_sq = __fmaf_rn(ratio, ratio, f.sum_sq);
        f.max = fmaxf(f.max, ratio);
        divisor = fmaxf(divisor, r);
    }
    if (!(divisor < 0x1p100f))
        f.sum_sq = f32_of_bits(0x7F800000u);
    return f;
}

/* Quick figures of elements that may lie anywhere and in any rows. */
template <class T, class V, class Rows>
static __device__ __noinline__ struct quick_figures see_any(V y, const typename T::element *got,
                                                            Rows rows, int first,
                                                            struct printer printer)
{
    pair<typename T::element> have[PAIRS];
    pair<double> want[PAIRS];

#pragma unroll
    for (int i = 0; i < 2 * PAIRS; i++) {
        want[i / 2].v[i % 2] = y[first + step_place(i)];
        have[i / 2].v[i % 2] = got[first + step_place(i)];
    }
    printer.add(sum_words(have, printer.secrets));
    return quick_quotients<T>(want, have, rows, first);
}

template <class T, class V, class Rows>
static __device__ __forceinline__ struct quick_figures
see_reals(V y, const typename T::element *got, bool aligned, const Rows &rows, int first,
          const struct printer &printer)
{
    pair<typename T::element> have[PAIRS];
    decltype(fetch_pair(y)) fetched[PAIRS];
    pair<double> want[PAIRS];

    if (!aligned || !rows.is_simple(first))
        return see_any<T>(y, got, rows, first, printer);
#pragma unroll
    for (int j = 0; j < PAIRS; j++) {
        fetched[j] = fetch_pair(y + first + step_place(2 * j));
        have[j] = *(const pair<typename T::element> *)(got + first + step_place(2 * j));
    }
    printer.add(sum_words(have, printer.secrets));
#pragma unroll
    for (int j = 0; j < PAIRS; j++)
        want[j] = pair_of(y, fetched[j]);
    return quick_quotients<T>(want, have, rows.simple(first), first);
}

template <class T, class V>
static __device__ __forceinline__ struct quick_figures
see_integers(V y, const typename T::element *got, int first, const struct printer &printer)
{
    pair<typename T::element> have[PAIRS];
    struct quick_figures f = {0, 0};
    bool equal = true;

#pragma unroll
    for (int i = 0; i < 2 * PAIRS; i++) {
        have[i / 2].v[i % 2] = got[first + step_place(i)];
        equal &= (int64_t)T::widen(have[i / 2].v[i % 2]) == y[first + step_place(i)];
    }
    printer.add(sum_words(have, printer.secrets));
    if (!equal)
        f.sum_sq = f32_of_bits(0x7F800000u);
    return f;
}

template <class T, class V, class Rows>
static __device__ __forceinline__ struct quick_figures
see_all(V y, const typename T::element *got, bool aligned, const Rows &rows, int first,
        const struct printer &printer)
{
    if constexpr (T::is_integer)
        return see_integers<T>(y, got, first, printer);
    else
        return see_reals<T>(y, got, aligned, rows, first, printer);
}

/* The limit from which an element may be a new maximum, by its ratio in float. It lies so far below
 * the largest known ratio that no error of a float hides a maximum. Such elements are divided in
 * double, and only that decides; so it does not matter when a thread hears of the others' limit. 0
 * lets the first elements of each thread pass; exact ones never pass again. The others do not hear
 * of a limit of SMALL: else it would depend on time which smaller errors are seen. */
static __device__ float limit_of(double max)
{
    return max < 0 ? 0 : fmaxf(SMALL, (float)(max * (1 - 0x1p-19)));
}

static __device__ void tell_limit(float limit, unsigned *block)
{
    if (limit > SMALL)
        atomicMax(block, bits_of_f32(limit)); /* floats above 0 are in the order of their bits */
}

static __device__ float hear_limit(float limit, const unsigned *block)
{
    return fmaxf(limit, f32_of_bits(*(const volatile unsigned *)block));
}

/* A block takes chunks in turn; a thread meets its elements in the order of their places. The
 * fingerprint is of the first look at each element. A candidate that changes one before a second
 * look is late, and the judge has other means against that (measure/trial_call.c). */
template <class T, class Rows, class V>
static __device__ __forceinline__ void compare_chunks(const struct cuda_compare &c, V values,
                                                      struct cuda_figures *mine,
                                                      unsigned *block_limit)
{
    typedef typename T::element element;
    int64_t stride = (int64_t)gridDim.x * CUDA_COMPARE_CHUNK;
    bool aligned = lies_for_pairs(values) && (uint64_t)c.got % sizeof(pair<element>) == 0;
    struct printer printer = {mine->print, c.secrets};
    double sum_sq = 0;
    float limit = 0;

    for (int64_t from = (int64_t)blockIdx.x * CUDA_COMPARE_CHUNK; from < c.n; from += stride) {
        V y = values + from;
        const element *got = (const element *)c.got + from;
        Rows rows(c, from);
        int n = c.n - from < CUDA_COMPARE_CHUNK ? (int)(c.n - from) : CUDA_COMPARE_CHUNK;

        limit = hear_limit(limit, block_limit);
#pragma unroll 1
        for (int k = 0; k < n; k += STEP) {
            bool ordinary = false;

            if (k + STEP <= n) {
                struct quick_figures quick = see_all<T>(y, got, aligned, rows, k, printer);

                ordinary = isfinite(quick.sum_sq);
                sum_sq += ordinary ? (double)quick.sum_sq : 0;
                if (ordinary && quick.max < limit)
                    continue;
            } else {
                printer.add(sum_last(got, n, k, c.secrets));
            }
            mine->sum_sq = sum_sq;
            see_each<T>(mine, y, got, n, rows, k, from);
            /* Time decides whether an ordinary element comes here; its square must not depend on
             * that. */
            sum_sq = ordinary ? sum_sq : mine->sum_sq;
            limit = fmaxf(limit, limit_of(mine->max));
            tell_limit(limit, block_limit);
        }
    }
    mine->sum_sq = sum_sq;
    printer.finish();
}

/* Compares with `values`: doubles, or int64_t if T is an integer type. Every block leaves its
 * figures in parts. */
template <class T, class V>
static __device__ __forceinline__ void compare(const struct cuda_compare &c, V values,
                                               struct cuda_figures *parts)
{
    __shared__ struct cuda_figures all[CUDA_THREADS];
    __shared__ unsigned limit;

    all[threadIdx.x] = figures_none();
    if (threadIdx.x == 0)
        limit = 0;
    __syncthreads();
    if (c.row_len > 0 && c.row_len < CUDA_COMPARE_CHUNK)
        compare_chunks<T, short_rows>(c, values, &all[threadIdx.x], &limit);
    else
        compare_chunks<T, long_rows>(c, values, &all[threadIdx.x], &limit);
    figures_of_block(all);
    if (threadIdx.x == 0) {
        int64_t at = all[0].max_at;

        all[0].got = (double)T::widen(((const typename T::element *)c.got)[at]);
        all[0].want = (double)values[at];
        parts[blockIdx.x] = all[0];
    }
}

#endif
