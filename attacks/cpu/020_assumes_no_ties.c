/* SPDX-License-Identifier: MIT */
/* Top-k where the later of two equal values wins. problem: hard/5 expected: wrong: unequal */
#include "assay.h"
#include "problem.h"

static void topk(const float *x, int64_t n, float *values, int64_t *indices, int64_t k)
{
    int64_t found = 0;

    for (int64_t i = 0; i < n; i++) {
        int64_t at = found < k ? found : k;

        if (at == k && !(x[i] >= values[k - 1]))
            continue;
        at -= at == k;
        for (; at > 0 && x[i] >= values[at - 1]; at--) {
            values[at] = values[at - 1];
            indices[at] = indices[at - 1];
        }
        values[at] = x[i];
        indices[at] = i;
        found += found < k;
    }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *values = out[OUT_VALUES].data;
    int64_t *indices = out[OUT_INDICES].data;
    int64_t rows = in[IN_X].shape[0], n = in[IN_X].shape[1], k = out[OUT_VALUES].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t r = 0; r < rows; r++)
        topk(x + r * n, n, values + r * k, indices + r * k, k);
    return 0;
}
