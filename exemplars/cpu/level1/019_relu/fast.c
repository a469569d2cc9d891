/* SPDX-License-Identifier: MIT */
/* ReLU at the speed of memory. Streaming stores write y without reading it first, a third of the
 * traffic of plain ones; and the input is asked for well ahead, because the hardware's prefetcher
 * stops at every page's end. */
#include "assay.h"
#include "problem.h"

#ifdef __AVX__
#include <immintrin.h>
#endif

#define BLOCK 16384              /* elements for one thread at a time */
#define PARALLEL_MIN (1LL << 18) /* below this, waking threads takes longer than the work */
#define AHEAD 1024               /* elements, a page; 256 to 2048 measured alike */

static float relu(float x)
{
    return x > 0 ? x : 0;
}

/* y is 64-byte aligned. */
static void relu_block(const float *x, float *y, int64_t n)
{
    int64_t i = 0;

#ifdef __AVX__
    for (; i + 16 <= n; i += 16) { /* a cache line */
        __m256 zero = _mm256_setzero_ps();

        __builtin_prefetch(x + i + AHEAD);
        _mm256_stream_ps(y + i, _mm256_max_ps(_mm256_loadu_ps(x + i), zero));
        _mm256_stream_ps(y + i + 8, _mm256_max_ps(_mm256_loadu_ps(x + i + 8), zero));
    }
    _mm_sfence(); /* streaming stores are not ordered with those that follow */
#endif
    for (; i < n; i++)
        y[i] = relu(x[i]);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (n < PARALLEL_MIN) { /* not `if` in the pragma: that would still enter the OpenMP library */
        relu_block(x, y, n);
        return 0;
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i += BLOCK)
        relu_block(x + i, y + i, n - i < BLOCK ? n - i : BLOCK);
    return 0;
}
