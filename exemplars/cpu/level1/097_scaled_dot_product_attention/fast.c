/* SPDX-License-Identifier: MIT */
/*
 * Attention, one head per thread at a time, QUERIES queries at once: scores = Q K^T, a softmax of
 * each row, Y = scores V. Both products are made of register tiles (MR x NR sums in vector
 * registers) over operands packed in the order in which a tile reads them. K and V are packed once
 * per head. Scratch memory is taken in assay_setup, which is not timed.
 */
#include "assay.h"
#include "problem.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#ifdef __AVX512F__
enum { LANES = 16, MR = 12 }; /* 24 of 32 registers hold sums */
#else
enum { LANES = 8, MR = 6 }; /* 12 of 16 */
#endif
enum { NR = 2 * LANES, QUERIES = 4 * MR };

#define PARALLEL_MIN (1LL << 22) /* multiply-adds; below this, waking threads takes longer */

typedef float vec __attribute__((vector_size(LANES * sizeof(float))));

static float *scratch; /* one struct work's memory per thread */
static int n_threads;

struct work {      /* of one thread; counts in floats */
    float *keys;   /* panels of NR keys, each width x NR */
    float *values; /* panels of NR columns, each n_keys x NR */
    float *rows;   /* panels of MR rows, of Q and then of the scores */
    float *scores; /* QUERIES x n_keys */
};

static int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t keys_count(int64_t n_keys, int64_t width)
{
    return round_up(n_keys, NR) * width;
}

static int64_t values_count(int64_t n_keys, int64_t width)
{
    return round_up(n_keys * round_up(width, NR), NR);
}

static int64_t rows_count(int64_t n_keys, int64_t width)
{
    return round_up(QUERIES * (n_keys > width ? n_keys : width), NR);
}

static int64_t work_count(int64_t n_keys, int64_t width)
{
    return keys_count(n_keys, width) + values_count(n_keys, width) + rows_count(n_keys, width) +
           round_up(QUERIES * n_keys, NR);
}

static struct work work_of(int thread, int64_t n_keys, int64_t width)
{
    struct work w = {.keys = scratch + thread * work_count(n_keys, width)};

    w.values = w.keys + keys_count(n_keys, width);
    w.rows = w.values + values_count(n_keys, width);
    w.scores = w.rows + rows_count(n_keys, width);
    return w;
}

/* Panels of `unit` rows of x (n x depth), transposed, padded with zeros. */
static inline void pack_rows(const float *x, int64_t n, int64_t depth, int64_t unit, float *panels)
{
    for (int64_t i0 = 0; i0 < n; i0 += unit, panels += depth * unit) {
        int64_t height = smaller(unit, n - i0);

        for (int64_t i = 0; i < height; i++)
            for (int64_t k = 0; k < depth; k++)
                panels[k * unit + i] = x[(i0 + i) * depth + k];
        for (int64_t i = height; i < unit; i++)
            for (int64_t k = 0; k < depth; k++)
                panels[k * unit + i] = 0;
    }
}

/* Panels of NR columns of x (depth x n), padded with zeros. */
static void pack_columns(const float *x, int64_t n, int64_t depth, float *panels)
{
    for (int64_t j0 = 0; j0 < n; j0 += NR, panels += depth * NR)
        for (int64_t k = 0; k < depth; k++)
            for (int64_t j = 0; j < NR; j++)
                panels[k * NR + j] = j0 + j < n ? x[k * n + j0 + j] : 0;
}

/* tile = the product of a panel of MR rows and a panel of NR columns */
static void multiply_tile(const float *a, const float *b, int64_t depth, vec tile[MR][2])
{
    vec sum[MR][2] = {0};

    for (int64_t k = 0; k < depth; k++, a += MR, b += NR) {
        vec b0 = *(const vec *)b, b1 = *(const vec *)(b + LANES);

#pragma GCC unroll 12
        for (int i = 0; i < MR; i++) {
            sum[i][0] += a[i] * b0;
            sum[i][1] += a[i] * b1;
        }
    }
#pragma GCC unroll 12
    for (int i = 0; i < MR; i++) {
        tile[i][0] = sum[i][0];
        tile[i][1] = sum[i][1];
    }
}

/* c (n x m) = rows * columns, both packed */
static void multiply(const float *rows, int64_t n, const float *columns, int64_t m, int64_t depth,
                     float *c)
{
    vec tile[MR][2];

    for (int64_t j0 = 0; j0 < m; j0 += NR)
        for (int64_t i0 = 0; i0 < n; i0 += MR) {
            const float *from = (const float *)tile;
            int64_t height = smaller(MR, n - i0), width = smaller(NR, m - j0);

            multiply_tile(rows + i0 * depth, columns + j0 * depth, depth, tile);
            for (int64_t i = 0; i < height; i++)
                memcpy(c + (i0 + i) * m + j0, from + i * NR, (size_t)width * sizeof(*c));
        }
}

/* exp(x) for x <= 0 within 1.1 ulp, in a form the compiler vectorises: x = k ln 2 + r, a polynomial
 * for exp(r) on |r| <= ln 2 / 2 (minimax, relative error 8e-9), and k goes into the exponent. */
static inline float exp_neg(float x)
{
    const float lowest = -87.0f;   /* below: 0, instead of a denormal */
    const float round = 0x1.8p23f; /* adding it leaves an integer in the low bits */
    float bounded = x < lowest ? lowest : x;
    float shifted = bounded * 1.44269504f + round;
    float k = shifted - round;
    float r = bounded - k * 0.693145752f - k * 1.42860677e-6f;
    float p = 0.00139421628f;
    int32_t bits;

    p = p * r + 0.00836377623f;
    p = p * r + 0.0416663635f;
    p = p * r + 0.166665734f;
    p = p * r + 0.5f;
    p = p * (r * r) + r + 1;
    memcpy(&bits, &shifted, sizeof(bits));
    bits = (int32_t)((uint32_t)(bits + 127) << 23); /* 2^k: the shift drops round's own bits */

    float scale;

    memcpy(&scale, &bits, sizeof(scale));
    return x < lowest ? 0 : p * scale;
}

/* Softmax of scale * x in place; scale is positive. */
static void softmax_row(float *x, int64_t n, float scale)
{
    float max = x[0], sum = 0;

#pragma omp simd reduction(max : max)
    for (int64_t i = 0; i < n; i++)
        max = x[i] > max ? x[i] : max;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) {
        float e = exp_neg((x[i] - max) * scale);

        x[i] = e;
        sum += e;
    }

    float norm = 1 / sum;

    for (int64_t i = 0; i < n; i++)
        x[i] *= norm;
}

/* One head: `queries` rows of q, all keys and values. */
static void attend(const float *q, const float *k, const float *v, float *y, int64_t queries,
                   int64_t n_keys, int64_t width, const struct work *w)
{
    float scale = 1 / sqrtf((float)width);

    pack_rows(k, n_keys, width, NR, w->keys);
    pack_columns(v, width, n_keys, w->values);
    for (int64_t i = 0; i < queries; i += QUERIES) {
        int64_t n = smaller(QUERIES, queries - i);

        pack_rows(q + i * width, n, width, MR, w->rows);
        multiply(w->rows, n, w->keys, n_keys, width, w->scores);
        for (int64_t r = 0; r < n; r++)
            softmax_row(w->scores + r * n_keys, n_keys, scale);
        pack_rows(w->scores, n, n_keys, MR, w->rows);
        multiply(w->rows, n, w->values, width, n_keys, y + i * width);
    }
}

int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t count = work_count(in[IN_K].shape[2], in[IN_K].shape[3]);

    (void)n_in, (void)out, (void)n_out, (void)stream;
    free(scratch);
    n_threads = omp_get_max_threads();
    scratch = aligned_alloc(64, (size_t)(count * n_threads) * sizeof(*scratch));
    return scratch ? 0 : 1;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *q = in[IN_Q].data, *k = in[IN_K].data, *v = in[IN_V].data;
    float *y = out[OUT_Y].data;
    const int64_t *shape = in[IN_Q].shape; /* batch, heads, queries, width */
    int64_t heads = shape[0] * shape[1], queries = shape[2], width = shape[3];
    int64_t n_keys = in[IN_K].shape[2];

    (void)n_in, (void)n_out, (void)stream;
    if (!scratch)
        return 1;
#pragma omp parallel for num_threads(n_threads) if (heads * queries * n_keys * width > PARALLEL_MIN)
    for (int64_t h = 0; h < heads; h++) {
        struct work w = work_of(omp_get_thread_num(), n_keys, width);
        int64_t at = h * queries * width, keys_at = h * n_keys * width;

        attend(q + at, k + keys_at, v + keys_at, y + at, queries, n_keys, width, &w);
    }
    return 0;
}
