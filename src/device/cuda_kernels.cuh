/* SPDX-License-Identifier: MIT */
/* The judge's kernels: what fill.c and compare.c do, with the same bits. Compiled at run time by
 * NVRTC (cuda_source.c), without contracted multiply-adds; nvcc -fmad=false takes it too.
 *
 * Places and maxima of a comparison equal the CPU's exactly, unless every error is below 2^-100 of
 * its scale: then some of them count as none. Its sum of squares is of quotients in float, within
 * 2^-19 of the CPU's, and added in an order that depends on the number of elements alone. */
#include "device/cuda_kernels.h"
#include "tensor/dtype.h"
#include "tensor/law.h"
#include "tensor/narrow.h"
#include "tensor/peeks.h"
#include "tensor/sum_sq.h"

#define KERNEL extern "C" __global__ void __launch_bounds__(CUDA_THREADS)

static __device__ int64_t thread_index()
{
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ int64_t thread_count()
{
    return (int64_t)gridDim.x * blockDim.x;
}

/* ---- element types ---- */

/* name_T: how an element of T lies in memory, and its way to and from what the judge computes in.
 */
#define FLOAT_TYPE(name, type)                  \
    struct type_##name {                        \
        typedef type element;                   \
        static __device__ type narrow(float v)  \
        {                                       \
            return narrow_##name##_single(v);   \
        }                                       \
        static __device__ type narrow(double v) \
        {                                       \
            return narrow_##name(v);            \
        }                                       \
        static __device__ double widen(type v)  \
        {                                       \
            return widen_##name(v);             \
        }                                       \
    };

#define INTEGER_TYPE(name, type, low, high)                     \
    struct type_##name {                                        \
        typedef type element;                                   \
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
/* Read as u8: a byte that is neither 0 nor 1 is no bool, and may be poison. */
INTEGER_TYPE(bool, uint8_t, 0, 1)

/* ---- fill ---- */

/* What the rows of a law share, made once per row: a normal law with rows costs as much as one
 * without. */
KERNEL fill_rows(struct law_fill f, int64_t n_rows, struct law_row *rows)
{
    for (int64_t i = thread_index(); i < n_rows; i += thread_count())
        rows[i] = law_row_of(&f.law, f.seed, f.row_len, i);
}

/* Four elements, in one store where there are four and they lie for it. */
template <class T, class V>
static __device__ void put(void *data, int64_t block, int64_t n, const V v[4])
{
    typedef typename T::element element;
    struct alignas(4 * sizeof(element)) quad {
        element v[4];
    };
    element *to = (element *)data + 4 * block;
    quad q = {{T::narrow(v[0]), T::narrow(v[1]), T::narrow(v[2]), T::narrow(v[3])}};

    if ((uint64_t)data % sizeof(quad) == 0 && block < n / 4) {
        *(quad *)to = q;
        return;
    }
    for (int k = 0; k < 4; k++) {
        if (4 * block + k < n)
            to[k] = q.v[k];
    }
}

#define PUT_CASE(code, name)                 \
    case code:                               \
        put<type_##name>(data, block, n, v); \
        break;

template <class V>
static __device__ void put_reals(enum dtype t, void *data, int64_t block, int64_t n, const V v[4])
{
    switch (t) {
        PUT_CASE(DT_F64, f64)
        PUT_CASE(DT_F32, f32)
        PUT_CASE(DT_F16, f16)
        PUT_CASE(DT_BF16, bf16)
        PUT_CASE(DT_F8E4M3, f8e4m3)
        PUT_CASE(DT_F8E5M2, f8e5m2)
    default:
        break;
    }
}

static __device__ void put_integers(enum dtype t, void *data, int64_t block, int64_t n,
                                    const int64_t v[4])
{
    switch (t) {
        PUT_CASE(DT_I64, i64)
        PUT_CASE(DT_I32, i32)
        PUT_CASE(DT_I8, i8)
        PUT_CASE(DT_U8, u8)
        PUT_CASE(DT_BOOL, bool)
    default:
        break;
    }
}

/* A thread makes a Philox block, four elements, at a time. What is known of f and t when this is
 * compiled costs nothing in the loop, nor does what the law does not use of a row. */
static __device__ __forceinline__ void fill_blocks(struct law_fill f, enum dtype t, void *data,
                                                   int64_t n)
{
    struct law_place p = law_place_of(f.row_len, thread_index());
    struct law_place step = law_place_of(f.row_len, thread_count());
    int64_t blocks = (n + 3) / 4;

    for (; p.block < blocks; law_place_move(&p, &step, f.row_len)) {
        struct law_row row = LAW_ROW_INIT;
        float v[4];

        law_reals(&f, &p, &row, v);
        put_reals(t, data, p.block, n, v);
    }
}

/* Any law, with or without a table of rows. */
KERNEL fill_reals(struct law_fill f, enum dtype t, void *data, int64_t n)
{
    fill_blocks(f, t, data, n);
}

/* The laws of large tensors have a kernel each, with a loop for f32 and one for all other types.
 * Those with rows are given a table, so that the code that makes a row is not in the loop. */
#define FILL_KERNEL(name, its_kind, has_rows)                                  \
    KERNEL fill_##name(struct law_fill f, enum dtype t, void *data, int64_t n) \
    {                                                                          \
        f.law.kind = its_kind;                                                 \
        if (has_rows && !f.rows)                                               \
            return;                                                            \
        if (t == DT_F32)                                                       \
            fill_blocks(f, DT_F32, data, n);                                   \
        else                                                                   \
            fill_blocks(f, t, data, n);                                        \
    }

FILL_KERNEL(spread, LAW_SPREAD, true)
FILL_KERNEL(needle, LAW_NEEDLE, true)
FILL_KERNEL(normal, LAW_NORMAL, false)
FILL_KERNEL(uniform, LAW_UNIFORM, false)
FILL_KERNEL(heavy, LAW_HEAVY, false)

KERNEL fill_integers(struct law_fill f, enum dtype t, void *data, int64_t n)
{
    struct law_place p = law_place_of(f.row_len, thread_index());
    struct law_place step = law_place_of(f.row_len, thread_count());
    int64_t blocks = (n + 3) / 4;

    for (; p.block < blocks; law_place_move(&p, &step, f.row_len)) {
        struct law_row row = LAW_ROW_INIT;
        int64_t v[4];

        law_integers(&f, &p, &row, v);
        put_integers(t, data, p.block, n, v);
    }
}

/* ---- store ---- */

template <class V> static __device__ void take(const V *values, int64_t block, int64_t n, V v[4])
{
    for (int k = 0; k < 4; k++)
        v[k] = 4 * block + k < n ? values[4 * block + k] : 0;
}

KERNEL store_reals(const double *values, enum dtype t, void *data, int64_t n)
{
    for (int64_t block = thread_index(); 4 * block < n; block += thread_count()) {
        double v[4];

        take(values, block, n, v);
        put_reals(t, data, block, n, v);
    }
}

KERNEL store_integers(const int64_t *values, enum dtype t, void *data, int64_t n)
{
    for (int64_t block = thread_index(); 4 * block < n; block += thread_count()) {
        int64_t v[4];

        take(values, block, n, v);
        for (int k = 0; t == DT_BOOL && k < 4; k++)
            v[k] = v[k] != 0;
        put_integers(t, data, block, n, v);
    }
}

/* ---- poison ---- */

struct alignas(16) two_words {
    uint64_t first, second;
};

static __device__ void store_bytes(uint8_t *data, int64_t n, uint64_t word)
{
    for (int k = 0; k < 8 && k < n; k++)
        data[k] = (uint8_t)(word >> (8 * k));
}

/* Two words of poison at a time; guard zones begin and end at any byte. */
KERNEL poison(uint64_t mixed_key, uint8_t *data, int64_t bytes)
{
    bool aligned = (uint64_t)data % 16 == 0;

    for (int64_t at = 16 * thread_index(); at < bytes; at += 16 * thread_count()) {
        uint64_t word = (uint64_t)at / 8;
        struct two_words two = {law_poison(mixed_key, word), law_poison(mixed_key, word + 1)};

        if (aligned && at + 16 <= bytes) {
            *(struct two_words *)(data + at) = two;
            continue;
        }
        store_bytes(data + at, bytes - at, two.first);
        store_bytes(data + at + 8, bytes - at - 8, two.second);
    }
}

static __device__ uint64_t word_at(const uint8_t *data, int64_t n)
{
    uint64_t word = 0;

    for (int k = 0; k < 8 && k < n; k++)
        word |= (uint64_t)data[k] << (8 * k);
    return word;
}

/* *first: all ones before, the offset of the first byte that is off afterwards. */
KERNEL poison_check(uint64_t mixed_key, const uint8_t *data, int64_t bytes,
                    unsigned long long *first)
{
    bool aligned = (uint64_t)data % 8 == 0;

    for (int64_t at = 8 * thread_index(); at < bytes; at += 8 * thread_count()) {
        int64_t n = bytes - at;
        uint64_t want = law_poison(mixed_key, (uint64_t)at / 8);
        uint64_t have = aligned && n >= 8 ? *(const uint64_t *)(data + at) : word_at(data + at, n);
        uint64_t off = n >= 8 ? have ^ want : (have ^ want) & (((uint64_t)1 << (8 * n)) - 1);

        if (off) {
            /* Later words of this thread lie behind; most others have lost already. */
            unsigned long long here = (unsigned long long)at + (__ffsll((long long)off) - 1) / 8;

            if (here < *(volatile unsigned long long *)first)
                atomicMin(first, here);
            return;
        }
    }
}

/* A thread to a place. */
KERNEL peek(struct peeks where, const volatile uint32_t *data, uint32_t *to)
{
    uint32_t i = (uint32_t)thread_index();

    to[i] = data[peeks_place(&where, i)];
}

/* The same for two memories: where they differ first. Arenas begin at multiples of 256. */
KERNEL differ(const uint8_t *a, const uint8_t *b, int64_t bytes, unsigned long long *first)
{
    bool aligned = ((uint64_t)a | (uint64_t)b) % 8 == 0;

    for (int64_t at = 8 * thread_index(); at < bytes; at += 8 * thread_count()) {
        int64_t n = bytes - at;
        bool whole = aligned && n >= 8;
        uint64_t x = whole ? *(const uint64_t *)(a + at) : word_at(a + at, n);
        uint64_t y = whole ? *(const uint64_t *)(b + at) : word_at(b + at, n);

        if (x != y) {
            unsigned long long here =
                (unsigned long long)at + (__ffsll((long long)(x ^ y)) - 1) / 8;

            if (here < *(volatile unsigned long long *)first)
                atomicMin(first, here);
            return;
        }
    }
}

/* ---- compare: the size of a row ---- */

#define LANES 8 /* COMPARE_LANES */

/* By LANES neighbouring threads of a warp that come here together; all get the result. The order of
 * additions is sum_sq()'s in compare.c. */
static __device__ struct sum_sq sum_segment(const double *y, int64_t n)
{
    int lane = threadIdx.x % LANES;
    unsigned group = 0xFFu << (threadIdx.x % 32 / LANES * LANES);
    struct sum_sq s = {0, n};
    int64_t whole = n / LANES * LANES;
    double mine = 0;

#pragma unroll 8
    for (int64_t i = lane; i < whole; i += LANES)
        mine += y[i] * y[i];
    for (int64_t i = whole; lane == 0 && i < n; i++)
        mine += y[i] * y[i];
    for (int l = 0; l < LANES; l++)
        s.sum += __shfl_sync(group, mine, l, LANES);
    return isfinite(s.sum) ? s : sum_sq_careful(y, n);
}

/* A segment per row. */
KERNEL short_row_rms(const double *y, int64_t row_len, int64_t n_rows, double *rms)
{
    for (int64_t row = thread_index() / LANES; row < n_rows; row += thread_count() / LANES) {
        const double *at = y + row * row_len;
        struct sum_sq s = sum_segment(at, row_len);

        if (threadIdx.x % LANES == 0)
            rms[row] = sum_sq_rms(s, at, row_len);
    }
}

/* sums: per_row of them for every row. */
KERNEL segment_sums(const double *y, int64_t row_len, int64_t segment, int64_t per_row, int64_t n,
                    struct sum_sq *sums)
{
    for (int64_t i = thread_index() / LANES; i < n; i += thread_count() / LANES) {
        int64_t from = i % per_row * segment, left = row_len - from;
        struct sum_sq s =
            sum_segment(y + i / per_row * row_len + from, left < segment ? left : segment);

        if (threadIdx.x % LANES == 0)
            sums[i] = s;
    }
}

KERNEL long_row_rms(const double *y, int64_t row_len, int64_t per_row, int64_t n_rows,
                    const struct sum_sq *sums, double *rms)
{
    for (int64_t row = thread_index(); row < n_rows; row += thread_count()) {
        struct sum_sq all = {0, 0};

        for (int64_t i = 0; i < per_row; i++)
            sum_sq_add(&all, sums[row * per_row + i]);
        rms[row] = sum_sq_rms(all, y + row * row_len, row_len);
    }
}

/* ---- compare: the figures ---- */

/* max: below that of any element. */
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

/* The block's figures, in all[0], from those of its threads; halves are added, always the same
 * ones. */
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

static __device__ void see(struct cuda_figures *f, int64_t y, int64_t got, double, int64_t at)
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

/* What a thread takes at a time: pairs of neighbours, 2 * CUDA_THREADS apart, so that a warp reads
 * whole lines and all of it is on its way at once. */
#define PAIRS 4
#define STEP (2 * PAIRS * CUDA_THREADS)
static_assert(CUDA_COMPARE_CHUNK % STEP == 0, "a chunk is so many steps");

/* What an ordinary error is divided by, in float: the larger of low and |y|, both times unit, a
 * power of two that brings low to 1 .. 2. Where low is 0 or out of the range for that, unit is NaN,
 * and no element is ordinary. */
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
    /* simple(): what gives the scales of the step at k most cheaply, where is_simple(). */
    __device__ bool is_simple(int k) const
    {
        return k >= edge || k + STEP <= edge;
    }
    __device__ struct one_row simple(int k) const
    {
        return {scale_at(k)};
    }
};

/* The same where rows are shorter than a chunk. They are found by a product with 2^31 / row_len:
 * exact, because k * row_len stays below 2^31. */
struct short_rows {
    const double *rms; /* of the row that the chunk begins in, and those that follow */
    double floor;
    unsigned start; /* how far in */
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

/* It is of a thread's pairs of a step, as words: two or four of a pair, or one, the second element
 * above the first. A block's steps follow one another as the powers of beta, and each thread of the
 * grid has a factor: so it depends on the number of blocks, which depends on n alone. */

static __device__ uint64_t bits_of(double v)
{
    return bits_of_f64(v);
}

static __device__ uint32_t bits_of(float v)
{
    return bits_of_f32(v);
}

static __device__ uint64_t bits_of(int64_t v)
{
    return (uint64_t)v;
}

static __device__ uint32_t bits_of(int32_t v)
{
    return (uint32_t)v;
}

static __device__ uint32_t bits_of(uint16_t v)
{
    return v;
}

static __device__ uint32_t bits_of(uint8_t v)
{
    return v;
}

static __device__ uint32_t bits_of(int8_t v)
{
    return (uint8_t)v;
}

template <class E> struct words {
    static constexpr int count = sizeof(E) < 4 ? 1 : sizeof(E) / 2; /* of a pair */

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

/* Of a thread's words of one step. */
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

/* Of the elements that lie before n; the others count as zeros. */
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

/* A thread's: of the steps that it has seen so far. */
struct printer {
    uint64_t *print; /* [FINGERPRINT_ROWS] */
    const struct fingerprint_secrets &secrets;

    __device__ void add(const struct word_sums &sums) const
    {
#pragma unroll
        for (int row = 0; row < FINGERPRINT_ROWS; row++)
            print[row] = fingerprint_times(print[row], secrets.beta[row], sums.v[row]);
    }
    /* It has seen all. */
    __device__ void finish() const
    {
        struct philox lane = fingerprint_draw(secrets.key, 2, (uint32_t)thread_index());

        for (int row = 0; row < FINGERPRINT_ROWS; row++)
            print[row] =
                fingerprint_least(fingerprint_times(print[row], fingerprint_factor(&lane, row), 0));
    }
};

/* ---- compare: the elements ---- */

/* The elements of a thread that lie before n, one by one. */
template <class T, class Y, class Rows>
static __device__ __noinline__ void see_each(struct cuda_figures *f, const Y *y,
                                             const typename T::element *got, int n, Rows rows,
                                             int first, int64_t at)
{
    for (int i = 0; i < 2 * PAIRS; i++) {
        int k = first + step_place(i);

        if (k < n)
            see(f, y[k], (Y)T::widen(got[k]), rows.low_at(k), at + k);
    }
}

/* Floats have all their bits for ratios above, and for what these are made of. */
#define SMALL 0x1p-100f

/* Within 1 ulp; 0 above 2^126. */
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

/* Of a thread's elements of a step, in float: a ratio above SMALL is within 2^-20 of it. As in
 * compare.c, what is not ordinary shows in the sum of squares: where that is not finite, look again
 * with care. */
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

/* Wherever they lie and whatever their rows. */
template <class T, class Rows>
static __device__ __noinline__ struct quick_figures
see_any(const double *y, const typename T::element *got, Rows rows, int first,
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

template <class T, class Rows>
static __device__ __forceinline__ struct quick_figures
see_all(const double *y, const typename T::element *got, bool aligned, const Rows &rows, int first,
        const struct printer &printer)
{
    pair<typename T::element> have[PAIRS];
    pair<double> want[PAIRS];

    if (!aligned || !rows.is_simple(first))
        return see_any<T>(y, got, rows, first, printer);
#pragma unroll
    for (int j = 0; j < PAIRS; j++) {
        want[j] = *(const pair<double> *)(y + first + step_place(2 * j));
        have[j] = *(const pair<typename T::element> *)(got + first + step_place(2 * j));
    }
    printer.add(sum_words(have, printer.secrets));
    return quick_quotients<T>(want, have, rows.simple(first), first);
}

template <class T, class Rows>
static __device__ __forceinline__ struct quick_figures
see_all(const int64_t *y, const typename T::element *got, bool, const Rows &, int first,
        const struct printer &printer)
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

/* Which elements may be a new maximum: those whose ratio in float is not below a limit, which lies
 * so far below the largest known ratio that no error of a float hides one. They are divided in
 * double, and only that decides; so it does not matter when a thread hears of the others' limit.
 * 0 lets the first elements of each thread pass; exact ones never pass again. Of a limit of SMALL
 * the others do not hear, or it would depend on time which smaller errors are seen. */
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
 * fingerprint is of the first look at each; who changes one before a second look is late, and the
 * judge has other means against that (judge/trial_call.c). */
template <class T, class Y, class Rows>
static __device__ __forceinline__ void compare_chunks(const struct cuda_compare &c,
                                                      struct cuda_figures *mine,
                                                      unsigned *block_limit)
{
    typedef typename T::element element;
    int64_t stride = (int64_t)gridDim.x * CUDA_COMPARE_CHUNK;
    bool aligned = (uint64_t)c.y % sizeof(pair<Y>) == 0 &&
                   (uint64_t)c.got % sizeof(pair<element>) == 0;
    struct printer printer = {mine->print, c.secrets};
    double sum_sq = 0;
    float limit = 0;

    for (int64_t from = (int64_t)blockIdx.x * CUDA_COMPARE_CHUNK; from < c.n; from += stride) {
        const Y *y = (const Y *)c.y + from;
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
            /* Whether an ordinary element comes here depends on time; its square must not. */
            sum_sq = ordinary ? sum_sq : mine->sum_sq;
            limit = fmaxf(limit, limit_of(mine->max));
            tell_limit(limit, block_limit);
        }
    }
    mine->sum_sq = sum_sq;
    printer.finish();
}

/* Y: double or int64_t. Every block leaves its figures in parts. */
template <class T, class Y>
static __device__ __forceinline__ void compare(const struct cuda_compare &c,
                                               struct cuda_figures *parts)
{
    __shared__ struct cuda_figures all[CUDA_THREADS];
    __shared__ unsigned limit;

    all[threadIdx.x] = figures_none();
    if (threadIdx.x == 0)
        limit = 0;
    __syncthreads();
    if (c.row_len > 0 && c.row_len < CUDA_COMPARE_CHUNK)
        compare_chunks<T, Y, short_rows>(c, &all[threadIdx.x], &limit);
    else
        compare_chunks<T, Y, long_rows>(c, &all[threadIdx.x], &limit);
    figures_of_block(all);
    if (threadIdx.x == 0) {
        int64_t at = all[0].max_at;

        all[0].got = (double)T::widen(((const typename T::element *)c.got)[at]);
        all[0].want = (double)((const Y *)c.y)[at];
        parts[blockIdx.x] = all[0];
    }
}

/* Four blocks: 64 registers, which is what so many pairs take. */
#define COMPARE_KERNEL(name, y)                                                       \
    extern "C" __global__ void __launch_bounds__(CUDA_THREADS, 4)                     \
        compare_##name(const __grid_constant__ struct cuda_compare c, struct cuda_figures *parts) \
    {                                                                                 \
        compare<type_##name, y>(c, parts);                                            \
    }

COMPARE_KERNEL(f64, double)
COMPARE_KERNEL(f32, double)
COMPARE_KERNEL(f16, double)
COMPARE_KERNEL(bf16, double)
COMPARE_KERNEL(f8e4m3, double)
COMPARE_KERNEL(f8e5m2, double)
COMPARE_KERNEL(i64, int64_t)
COMPARE_KERNEL(i32, int64_t)
COMPARE_KERNEL(i8, int64_t)
COMPARE_KERNEL(u8, int64_t)
COMPARE_KERNEL(bool, int64_t)

/* One block. */
KERNEL compare_finish(const struct cuda_figures *parts, int n, struct cuda_figures *ret)
{
    __shared__ struct cuda_figures all[CUDA_THREADS];

    all[threadIdx.x] = figures_none();
    for (int i = threadIdx.x; i < n; i += CUDA_THREADS)
        figures_merge(&all[threadIdx.x], &parts[i]);
    figures_of_block(all);
    if (threadIdx.x == 0)
        *ret = all[0];
}

/* ---- the fingerprint alone ---- */

/* What a comparison makes of the same elements. */
template <class E>
static __device__ __forceinline__ void print_chunks(const struct cuda_compare &c,
                                                    const struct printer &printer)
{
    int64_t stride = (int64_t)gridDim.x * CUDA_COMPARE_CHUNK;
    bool aligned = (uint64_t)c.got % sizeof(pair<E>) == 0;

    for (int64_t from = (int64_t)blockIdx.x * CUDA_COMPARE_CHUNK; from < c.n; from += stride) {
        const E *got = (const E *)c.got + from;
        int n = c.n - from < CUDA_COMPARE_CHUNK ? (int)(c.n - from) : CUDA_COMPARE_CHUNK;

        if (aligned && n == CUDA_COMPARE_CHUNK) {
#pragma unroll
            for (int k = 0; k < CUDA_COMPARE_CHUNK; k += STEP) {
                pair<E> have[PAIRS];

#pragma unroll
                for (int j = 0; j < PAIRS; j++)
                    have[j] = *(const pair<E> *)(got + k + step_place(2 * j));
                printer.add(sum_words(have, c.secrets));
            }
            continue;
        }
#pragma unroll 1
        for (int k = 0; k < n; k += STEP)
            printer.add(sum_last(got, n, k, c.secrets));
    }
    printer.finish();
}

template <class E>
static __device__ __forceinline__ void fingerprint(const struct cuda_compare &c,
                                                   struct cuda_figures *parts)
{
    __shared__ uint64_t all[CUDA_THREADS][FINGERPRINT_ROWS];
    uint64_t print[FINGERPRINT_ROWS] = {0, 0};
    int me = threadIdx.x;

    print_chunks<E>(c, {print, c.secrets});
    for (int row = 0; row < FINGERPRINT_ROWS; row++)
        all[me][row] = print[row];
    for (int half = CUDA_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        for (int row = 0; me < half && row < FINGERPRINT_ROWS; row++)
            all[me][row] = fingerprint_least(all[me][row] + all[me + half][row]);
    }
    if (me == 0) {
        parts[blockIdx.x] = figures_none();
        for (int row = 0; row < FINGERPRINT_ROWS; row++)
            parts[blockIdx.x].print[row] = all[0][row];
    }
}

/* Of elements of so many bytes; its parts are for compare_finish(). Six blocks: 1584 are then two
 * whole turns of an H200's 132 SMs. */
#define FINGERPRINT_KERNEL(bytes, element)                                                        \
    extern "C" __global__ void __launch_bounds__(CUDA_THREADS, 6)                                 \
        fingerprint_##bytes(const __grid_constant__ struct cuda_compare c, struct cuda_figures *parts) \
    {                                                                                             \
        fingerprint<element>(c, parts);                                                           \
    }

FINGERPRINT_KERNEL(1, uint8_t)
FINGERPRINT_KERNEL(2, uint16_t)
FINGERPRINT_KERNEL(4, int32_t)
FINGERPRINT_KERNEL(8, int64_t)

/* ---- flush ---- */

KERNEL flush_write(uint4 *data, int64_t n, unsigned value)
{
    for (int64_t i = thread_index(); i < n; i += thread_count())
        data[i] = make_uint4(value, value, value, value);
}

/* What is read must be used, or the compiler does not read it: *never is not written. */
KERNEL flush_read(const uint4 *data, int64_t n, unsigned *never)
{
    unsigned all = 0;

#pragma unroll 4
    for (int64_t i = thread_index(); i < n; i += thread_count()) {
        uint4 v = data[i];

        all |= v.x | v.y | v.z | v.w;
    }
    if (all == 0xFFFFFFFFu)
        *never = all;
}

/* ---- arithmetic ---- */

static __device__ float multiply_add(float x, float a, float b)
{
    return __fmaf_rn(x, a, b);
}

static __device__ double multiply_add(double x, double a, double b)
{
    return __fma_rn(x, a, b);
}

/* Multiply-adds and nothing else. a and b come from outside, so that nothing is known before it
 * runs; with 0 < a < 1 the chains stay finite and positive, and *never is not written. */
template <class T> static __device__ void multiply_adds(int steps, T a, T b, T *never)
{
    T x[CUDA_FMA_CHAINS], sum = 0;

    for (int k = 0; k < CUDA_FMA_CHAINS; k++)
        x[k] = (T)(threadIdx.x + k);
#pragma unroll 16
    for (int s = 0; s < steps; s++) {
#pragma unroll
        for (int k = 0; k < CUDA_FMA_CHAINS; k++)
            x[k] = multiply_add(x[k], a, b);
    }
    for (int k = 0; k < CUDA_FMA_CHAINS; k++)
        sum += x[k];
    if (sum < 0)
        *never = sum;
}

KERNEL fma_f32(int steps, float a, float b, float *never)
{
    multiply_adds(steps, a, b, never);
}

KERNEL fma_f64(int steps, double a, double b, double *never)
{
    multiply_adds(steps, a, b, never);
}
