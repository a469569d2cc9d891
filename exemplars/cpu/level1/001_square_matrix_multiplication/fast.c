/* SPDX-License-Identifier: MIT */
/*
 * C = A B from a register-sized tile upwards. MR x NR sums stay in vector registers while a step of
 * the depth costs MR broadcasts and two loads. Both operands are copied into the order in which the
 * tile reads them, padded with zeros to whole tiles:
 *   - a block of B, DEPTH x COLS, shared by all threads, in the L2 cache;
 *   - MR rows of A, DEPTH deep, by the thread that works on them, in the L1 cache.
 */
#include "assay.h"
#include "problem.h"

#ifdef __AVX512F__
enum { LANES = 16, MR = 12 }; /* 24 of 32 registers hold sums */
#else
enum { LANES = 8, MR = 6 }; /* 12 of 16 */
#endif
enum { NR = 2 * LANES, DEPTH = 384, COLS = 12 * NR };

#define ALIGNED __attribute__((aligned(64)))
#define PARALLEL_MIN (1LL << 22) /* multiply-adds; below this, waking threads takes longer */

typedef float vec __attribute__((vector_size(LANES * sizeof(float))));

static ALIGNED float packed_b[DEPTH * COLS]; /* panels of NR columns, each depth x NR */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* `width` <= NR columns of B, `depth` rows, `stride` apart. */
static void pack_b(const float *b, int64_t stride, int64_t depth, int64_t width, float *panel)
{
    for (int64_t k = 0; k < depth; k++)
        for (int64_t j = 0; j < NR; j++)
            panel[k * NR + j] = j < width ? b[k * stride + j] : 0;
}

/* `height` <= MR rows of A, `stride` apart, transposed. */
static void pack_a(const float *a, int64_t stride, int64_t depth, int64_t height, float *panel)
{
    for (int64_t i = 0; i < MR; i++)
        for (int64_t k = 0; k < depth; k++)
            panel[k * MR + i] = i < height ? a[i * stride + k] : 0;
}

/* tile = the product of a panel of A and a panel of B */
static void multiply(const float *a, const float *b, int64_t depth, vec tile[MR][2])
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

/* The part of the tile that lies inside C replaces what is there, or is added to it. */
static void store(const vec tile[MR][2], float *c, int64_t stride, int64_t height, int64_t width,
                  int add)
{
    const float *from = (const float *)tile;

    for (int64_t i = 0; i < height; i++)
        for (int64_t j = 0; j < width; j++)
            c[i * stride + j] = from[i * NR + j] + (add ? c[i * stride + j] : 0);
}

/* `height` <= MR rows of C, `width` <= COLS columns, from rows of A and the packed block of B. */
static void multiply_rows(const float *a, int64_t a_stride, int64_t depth, float *c,
                          int64_t c_stride, int64_t height, int64_t width, int add)
{
    ALIGNED float panel[DEPTH * MR];
    vec tile[MR][2];

    pack_a(a, a_stride, depth, height, panel);
    for (int64_t j = 0; j < width; j += NR) {
        multiply(panel, packed_b + j * depth, depth, tile);
        store(tile, c + j, c_stride, height, smaller(NR, width - j), add);
    }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *a = in[IN_A].data, *b = in[IN_B].data;
    float *c = out[OUT_C].data;
    int64_t rows = in[IN_A].shape[0], depth = in[IN_A].shape[1], cols = in[IN_B].shape[1];

    (void)n_in, (void)n_out, (void)stream;
#pragma omp parallel if (rows * depth * cols >= PARALLEL_MIN)
    for (int64_t j0 = 0; j0 < cols; j0 += COLS)
        for (int64_t k0 = 0; k0 < depth; k0 += DEPTH) {
            int64_t width = smaller(COLS, cols - j0), deep = smaller(DEPTH, depth - k0);

#pragma omp for schedule(static)
            for (int64_t j = 0; j < width; j += NR)
                pack_b(b + k0 * cols + j0 + j, cols, deep, smaller(NR, width - j),
                       packed_b + j * deep);
                /* Both loops end in a barrier: nobody reads a half-packed block or packs over one.
                 */
#pragma omp for schedule(static)
            for (int64_t i = 0; i < rows; i += MR)
                multiply_rows(a + i * depth + k0, depth, deep, c + i * cols + j0, cols,
                              smaller(MR, rows - i), width, k0 > 0);
        }
    return 0;
}
