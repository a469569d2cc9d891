/* SPDX-License-Identifier: MIT */
/* Layer norm in two passes over memory instead of three: a block is read once and, while it is in
 * the L1 cache, gives its mean and its sum of squares around that mean; Chan's formula joins the
 * blocks of a row. As stable as the two-pass formula. Blocks, not rows, are shared among the
 * threads: rows are few and long. */
#include "assay.h"
#include "problem.h"

#include <math.h>
#include <stdlib.h>

#define EPS 1e-5
#define BLOCK 4096 /* elements, 16 KiB: half of a small L1 */
#define PARALLEL_MIN \
    (1LL << 17) /* elements; below this, waking threads takes longer than the work */

struct moments {
    float mean, sum_sq; /* the latter around the mean */
};

static struct moments block_moments(const float *x, int64_t n)
{
    float sum = 0, sum_sq = 0;

#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += x[i];

    float mean = sum / (float)n;

#pragma omp simd reduction(+ : sum_sq)
    for (int64_t i = 0; i < n; i++)
        sum_sq += (x[i] - mean) * (x[i] - mean);
    return (struct moments){mean, sum_sq};
}

static int64_t block_length(int64_t block, int64_t n)
{
    return n - block * BLOCK < BLOCK ? n - block * BLOCK : BLOCK;
}

/* The moments of a row of n elements from those of its blocks. */
static struct moments join(const struct moments *blocks, int64_t n_blocks, int64_t n)
{
    double mean = blocks[0].mean, sum_sq = blocks[0].sum_sq, count = (double)block_length(0, n);

    for (int64_t b = 1; b < n_blocks; b++) {
        double more = (double)block_length(b, n), delta = blocks[b].mean - mean;

        mean += delta * more / (count + more);
        sum_sq += blocks[b].sum_sq + delta * delta * count * more / (count + more);
        count += more;
    }
    return (struct moments){(float)mean, (float)sum_sq};
}

static void normalise(const float *x, const float *weight, const float *bias, float *y, int64_t n,
                      float mean, float scale)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) * scale * weight[i] + bias[i];
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    const float *weight = in[IN_LN_WEIGHT].data, *bias = in[IN_LN_BIAS].data;
    float *y = out[OUT_Y].data;
    const int64_t *shape = in[IN_X].shape;
    int64_t rows = shape[0], n = shape[1] * shape[2] * shape[3];
    int64_t n_blocks = (n + BLOCK - 1) / BLOCK;
    struct moments *blocks = malloc((size_t)(rows * n_blocks) * sizeof(*blocks));

    (void)n_in, (void)n_out, (void)stream;
    if (!blocks)
        return 1;
#pragma omp parallel if (rows * n >= PARALLEL_MIN)
    {
#pragma omp for collapse(2) schedule(static)
        for (int64_t r = 0; r < rows; r++)
            for (int64_t b = 0; b < n_blocks; b++)
                blocks[r * n_blocks + b] = block_moments(x + r * n + b * BLOCK, block_length(b, n));
#pragma omp for schedule(static)
        for (int64_t r = 0; r < rows; r++)
            blocks[r * n_blocks] = join(blocks + r * n_blocks, n_blocks, n);
#pragma omp for collapse(2) schedule(static)
        for (int64_t r = 0; r < rows; r++)
            for (int64_t b = 0; b < n_blocks; b++) {
                struct moments row = blocks[r * n_blocks];
                int64_t at = b * BLOCK;
                float scale = (float)(1 / sqrt(row.sum_sq / (double)n + EPS));

                normalise(x + r * n + at, weight + at, bias + at, y + r * n + at,
                          block_length(b, n), row.mean, scale);
            }
    }
    free(blocks);
    return 0;
}
