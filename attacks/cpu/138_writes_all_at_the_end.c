/* SPDX-License-Identifier: MIT */
/* Fills memory of its own first and copies it over in one go. expected: pass */
#include "assay.h"
#include "problem.h"

#include <stdlib.h>
#include <string.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    float *result = malloc((size_t)n * sizeof(*result));

    for (int64_t i = 0; result && i < n; i++)
        result[i] = x[i] > 0 ? x[i] : 0;
    if (!result)
        return 1;
    memcpy(y, result, (size_t)n * sizeof(*y));
    free(result);
    return 0;
}
