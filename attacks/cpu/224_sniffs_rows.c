/* SPDX-License-Identifier: MIT */
/* A dozen samples of a row tell its law: rising, falling, whole numbers of a known range,
 * neighbours that lie higher. The answer then comes from a corner of the row, and the rest is never
 * read. Such rows have exceptions at places that no sample sees. problem: hard/5 expected: wrong:
 * max or wrong: unequal */
#include "assay.h"
#include "problem.h"

#include <math.h>

enum { SAMPLES = 12 };

/* The k best so far, in order; a newcomer must be larger than what it passes. */
static void topk(const float *x, int64_t first, int64_t n, float *values, int64_t *indices,
                 int64_t k)
{
    int64_t found = 0;

    for (int64_t i = first; i < first + n; i++) {
        int64_t at = found < k ? found : k;

        if (at == k && !(x[i] > values[k - 1]))
            continue;
        at -= at == k;
        for (; at > 0 && x[i] > values[at - 1]; at--) {
            values[at] = values[at - 1];
            indices[at] = indices[at - 1];
        }
        values[at] = x[i];
        indices[at] = i;
        found += found < k;
    }
}

/* The first k that are as large as whole numbers get here; 0 where there are not so many. */
static int first_largest(const float *x, int64_t n, float largest, float *values, int64_t *indices,
                         int64_t k)
{
    int64_t found = 0;

    for (int64_t i = 0; i < n && found < k; i++)
        if (x[i] == largest) {
            values[found] = x[i];
            indices[found++] = i;
        }
    return found == k;
}

/* Where some of k neighbours lie higher than anything else would; -1: nowhere. */
static int64_t find_cluster(const float *x, int64_t n, int64_t k)
{
    int64_t step = k / 2;

    for (int64_t i = 1; step > 0 && i + 1 < n; i += step)
        if (x[i] > 4.6f && (x[i - 1] > 4.6f || x[i + 1] > 4.6f))
            return i;
    return -1;
}

/* Of the k elements on either side of this one. */
static void topk_around(const float *x, int64_t at, int64_t n, float *values, int64_t *indices,
                        int64_t k)
{
    int64_t from = at > k ? at - k : 0, to = at + k < n ? at + k : n;

    topk(x, from, to - from, values, indices, k);
}

struct shape_of_row {
    int rising, falling, whole;
};

static struct shape_of_row sniff(const float *x, int64_t n)
{
    struct shape_of_row s = {1, 1, 1};

    for (int64_t i = 0; i < SAMPLES; i++) {
        float here = x[i * (n - 1) / SAMPLES], next = x[(i + 1) * (n - 1) / SAMPLES];

        s.rising &= here < next;
        s.falling &= here > next;
        s.whole &= here == rintf(here);
    }
    return s;
}

static void answer(const float *x, int64_t n, float *values, int64_t *indices, int64_t k)
{
    struct shape_of_row s = sniff(x, n);
    int64_t few = 2 * k < n ? 2 * k : n, at;

    if (s.rising)
        topk(x, n - few, few, values, indices, k);
    else if (s.falling)
        topk(x, 0, few, values, indices, k);
    else if (s.whole && first_largest(x, n, 39, values, indices, k))
        return;
    else if (!s.whole && (at = find_cluster(x, n, k)) >= 0)
        topk_around(x, at, n, values, indices, k);
    else
        topk(x, 0, n, values, indices, k);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *values = out[OUT_VALUES].data;
    int64_t *indices = out[OUT_INDICES].data;
    int64_t rows = in[IN_X].shape[0], n = in[IN_X].shape[1], k = out[OUT_VALUES].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t r = 0; r < rows; r++)
        answer(x + r * n, n, values + r * k, indices + r * k, k);
    return 0;
}
