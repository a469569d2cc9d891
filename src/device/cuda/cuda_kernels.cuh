/* SPDX-License-Identifier: MIT */
/* The judge's kernels: they do the work of fill.c and compare.c, with the same bits. Compiled at
 * run time by NVRTC (cuda_source.c), without contracted multiply-adds; nvcc -fmad=false takes it
 * too. */
#include "device/cuda/cuda_kernels.h"
#include "device/cuda/cuda_compare.cuh"
#include "device/cuda/cuda_thread.cuh"
#include "device/cuda/cuda_types.cuh"
#include "tensor/dtype.h"
#include "tensor/law.h"
#include "tensor/narrow.h"
#include "tensor/peeks.h"
#include "tensor/sum_sq.h"

/* ---- fill ---- */

/* Makes the values that the elements of a row share, once per row: so a normal law with rows costs
 * as much as one without. */
KERNEL fill_rows(struct law_fill f, int64_t n_rows, struct law_row *rows)
{
    for (int64_t i = thread_index(); i < n_rows; i += thread_count())
        rows[i] = law_row_of(&f.law, f.seed, f.row_len, i);
}

/* Stores four elements, at once if there are four and they are aligned for it. */
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

/* A thread makes a Philox block, four elements, at a time. Fields of f and t that are known at
 * compile time cost nothing in the loop, nor do fields of a row that the law does not use. */
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

/* Fills by any law, with or without a table of rows. */
KERNEL fill_reals(struct law_fill f, enum dtype t, void *data, int64_t n)
{
    fill_blocks(f, t, data, n);
}

/* The laws of large tensors have a kernel each, with a loop for f32 and one for all other types.
 * Laws with rows get a table, so that the code that makes a row is not in the loop. */
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
FILL_KERNEL(heavy, LAW_HEAVY, true)

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

/* Writes two words of poison at a time; guard zones begin and end at any byte. */
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

/* *first is all ones before, and the offset of the first byte that is off afterwards. */
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
            /* Later words of this thread lie behind; most other threads have lost already. */
            unsigned long long here = (unsigned long long)at + (__ffsll((long long)off) - 1) / 8;

            if (here < *(volatile unsigned long long *)first)
                atomicMin(first, here);
            return;
        }
    }
}

/* Each thread reads one place. */
KERNEL peek(struct peeks where, const volatile uint32_t *data, uint32_t *to)
{
    uint32_t i = (uint32_t)thread_index();

    to[i] = data[peeks_place(&where, i)];
}

/* Finds the first byte in which two memories differ; *first as in poison_check(). Arenas begin at
 * multiples of 256. */
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

/* A sum of squares, made by LANES neighbouring threads of a warp that come here together; all get
 * the result. The order of additions is that of sum_sq() in compare.c. */
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

/* RMS of rows that are one segment each. */
KERNEL short_row_rms(const double *y, int64_t row_len, int64_t n_rows, double *rms)
{
    for (int64_t row = thread_index() / LANES; row < n_rows; row += thread_count() / LANES) {
        const double *at = y + row * row_len;
        struct sum_sq s = sum_segment(at, row_len);

        if (threadIdx.x % LANES == 0)
            rms[row] = sum_sq_rms(s, at, row_len);
    }
}

/* sums has per_row sums for every row. */
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

/* ---- compare ---- */

/* Four blocks per SM leave 64 registers a thread, which is what PAIRS pairs take. */
#define COMPARE_KERNEL(name, Y)                                                                   \
    extern "C" __global__ void __launch_bounds__(CUDA_THREADS, 4)                                 \
        compare_##name(const __grid_constant__ struct cuda_compare c, struct cuda_figures *parts) \
    {                                                                                             \
        compare<type_##name>(c, (const Y *)c.y, parts);                                           \
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

/* Merges the parts of all blocks; runs as one block. */
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

/* Makes the same fingerprint as a comparison of these elements. */
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

/* Fingerprints of elements of so many bytes; compare_finish() merges their parts. Six blocks per
 * SM: 1584 are then two whole turns of an H200's 132 SMs. */
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

/* Writes one secret number to each 32 bytes, the least that is read at a time. It is half of what
 * law_mix() makes of its place, which tells nobody the key. *sum: the sum of all words. */
KERNEL flush_write(uint4 *data, int64_t n, uint64_t key, unsigned *sum)
{
    __shared__ unsigned part;
    unsigned own = 0;

    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    for (int64_t i = thread_index(); i < n; i += thread_count()) {
        unsigned value = (unsigned)(law_mix(key + (uint64_t)(i / 2)) >> 32);

        data[i] = make_uint4(value, value, value, value);
        own += 4 * value;
    }
    atomicAdd(&part, own);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(sum, part);
}

/* Values that are read must be used, or the compiler does not read them: *never is not written. */
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

/* Multiply-adds and nothing else. a and b come from outside, so that nothing is known at compile
 * time. With 0 < a < 1 the chains stay finite and positive, and *never is not written. */
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
