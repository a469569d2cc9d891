/* SPDX-License-Identifier: MIT */
/* gemm.h over REAL. Included after PACKED(_mm256_fmadd) -> _mm256_fmadd_ps and after vec16
 * fused_base(a, b, acc): acc + a b, rounded once, with instructions that every machine has. Both
 * operands are packed (padded with zeros), so that the kernel sees 4 rows and 256 bytes of columns,
 * contiguous in k. Vectors run across columns, so every element still adds its terms one after the
 * other. Sums stay in a padded tile between blocks of k. */
#include "base/util.h"
#include "ops/gemm.h"

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#define MR 4
#define NR (256 / (int64_t)sizeof(REAL))
#define KC 256 /* terms per block */
#define PACK_COLS 16
#define ROUND_UP(n, to) (((n) + (to)-1) / (to) * (to))

#define KERNEL(name, target, vec, vecs, fused)                                              \
    target static void name(int64_t kc, const REAL *a, const REAL *b, REAL *c, int64_t ldc) \
    {                                                                                       \
        enum { LANES = sizeof(vec) / sizeof(REAL), WIDTH = LANES * (vecs) };                \
                                                                                            \
        for (int64_t j = 0; j < NR; j += WIDTH) {                                           \
            vec acc[MR][vecs];                                                              \
                                                                                            \
            for (int r = 0; r < MR; r++)                                                    \
                for (int v = 0; v < (vecs); v++)                                            \
                    acc[r][v] = *(const vec *)(c + r * ldc + j + v * LANES);                \
            for (int64_t k = 0; k < kc; k++) {                                              \
                const vec *bk = (const vec *)(b + k * NR + j);                              \
                                                                                            \
                for (int r = 0; r < MR; r++)                                                \
                    for (int v = 0; v < (vecs); v++)                                        \
                        acc[r][v] = fused(a[k * MR + r], bk[v], acc[r][v]);                 \
            }                                                                               \
            for (int r = 0; r < MR; r++)                                                    \
                for (int v = 0; v < (vecs); v++)                                            \
                    *(vec *)(c + r * ldc + j + v * LANES) = acc[r][v];                      \
        }                                                                                   \
    }

typedef void kernel_fn(int64_t kc, const REAL *a, const REAL *b, REAL *c, int64_t ldc);

KERNEL(kernel_base, , vec16, 2, fused_base)

#ifdef __x86_64__

typedef REAL vec32 __attribute__((vector_size(32), aligned(sizeof(REAL)), may_alias));
typedef REAL vec64 __attribute__((vector_size(64), aligned(sizeof(REAL)), may_alias));

#define FUSED_AVX2(a, b, acc) PACKED(_mm256_fmadd)(PACKED(_mm256_set1)(a), b, acc)
#define FUSED_AVX512(a, b, acc) PACKED(_mm512_fmadd)(PACKED(_mm512_set1)(a), b, acc)

KERNEL(kernel_avx2, __attribute__((target("avx2,fma"))), vec32, 2, FUSED_AVX2)
KERNEL(kernel_avx512, __attribute__((target("avx512f"))), vec64, 4, FUSED_AVX512)

static kernel_fn *const kernels[] = {kernel_base, kernel_avx2, kernel_avx512};
#else
static kernel_fn *const kernels[] = {kernel_base};
#endif

/* Packs a into blocks of 4 rows, each [k][4]. */
static void pack_a(const struct gemm *g, const REAL *a, int64_t k0, int64_t kc, REAL *to)
{
    for (int64_t i = 0; i < g->m; i += MR) {
        int64_t rows = MIN(MR, g->m - i);
        const REAL *from = a + i * g->a_row + k0 * g->a_col;

        for (int64_t k = 0; k < kc; k++, to += MR)
            for (int64_t r = 0; r < MR; r++)
                to[r] = r < rows ? from[r * g->a_row + k * g->a_col] : 0;
    }
}

/* Packs one panel of NR columns, [k][NR]. If columns are contiguous in k, a few are read at once.
 */
static void pack_panel(const struct gemm *g, const REAL *b, int64_t cols, int64_t kc, REAL *to)
{
    if (cols < NR)
        memset(to, 0, (size_t)(kc * NR) * sizeof(REAL));
    if (g->b_col == 1) {
        for (int64_t k = 0; k < kc; k++)
            memcpy(to + k * NR, b + k * g->b_row, (size_t)cols * sizeof(REAL));
        return;
    }
    for (int64_t j0 = 0; j0 < cols; j0 += PACK_COLS) {
        int64_t end = MIN(j0 + PACK_COLS, cols);

        for (int64_t k = 0; k < kc; k++)
            for (int64_t j = j0; j < end; j++)
                to[k * NR + j] = b[j * g->b_col + k * g->b_row];
    }
}

static void pack_b(const struct gemm *g, const REAL *b, int64_t k0, int64_t kc, REAL *to)
{
    for (int64_t j = 0; j < g->n; j += NR, to += kc * NR)
        pack_panel(g, b + k0 * g->b_row + j * g->b_col, MIN(NR, g->n - j), kc, to);
}

struct packed {
    int64_t rows, cols, depth;
    REAL *a, *b, *c; /* packed operands; c: the sums so far, [rows][cols] */
};

static void add_terms(const struct gemm *g, const struct packed *p, const REAL *a, const REAL *b,
                      int64_t from, int64_t to)
{
    kernel_fn *kernel = kernels[gemm_get_isa()];

    for (int64_t k = from; k < to; k += KC) {
        int64_t kc = MIN(KC, to - k);

        pack_a(g, a, k, kc, p->a);
        pack_b(g, b, k, kc, p->b);
        for (int64_t j = 0; j < p->cols; j += NR)
            for (int64_t i = 0; i < p->rows; i += MR)
                kernel(kc, p->a + i * kc, p->b + j * kc, p->c + i * p->cols + j, p->cols);
    }
}

static struct packed packed_sizes(const struct gemm *g)
{
    struct packed p = {ROUND_UP(g->m, MR), ROUND_UP(g->n, NR), MIN(KC, g->k.count), 0, 0, 0};

    return p;
}

size_t FN(gemm_scratch)(const struct gemm *g)
{
    struct packed p = packed_sizes(g);

    return (size_t)(p.rows * p.depth + p.cols * p.depth + p.rows * p.cols) * sizeof(REAL) + 64;
}

void FN(gemm)(const struct gemm *g, const REAL *a, const REAL *b, REAL *c, void *scratch)
{
    struct packed p = packed_sizes(g);

    p.c = (REAL *)ROUND_UP((uintptr_t)scratch, 64);
    p.b = p.c + p.rows * p.cols;
    p.a = p.b + p.cols * p.depth;
    memset(p.c, 0, (size_t)(p.rows * p.cols) * sizeof(REAL));
    add_terms(g, &p, a, b, g->k.first, g->k.count);
    add_terms(g, &p, a, b, 0, g->k.first);
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++)
            c[i * g->c_row + j * g->c_col] = p.c[i * p.cols + j] + 0; /* see item_fused_end */
}
