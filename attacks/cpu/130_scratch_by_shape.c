/* SPDX-License-Identifier: MIT */
/* Keeps scratch memory from call to call, keyed by shape. expected: pass */
#include "assay.h"
#include "problem.h"

#include <stdlib.h>
#include <string.h>

static float *scratch;
static int64_t scratch_n;

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (n > scratch_n) {
        free(scratch);
        scratch = malloc((size_t)n * sizeof(*scratch));
        scratch_n = scratch ? n : 0;
    }
    if (!scratch)
        return 1;
    for (int64_t i = 0; i < n; i++)
        scratch[i] = x[i] > 0 ? x[i] : 0;
    memcpy(y, scratch, (size_t)n * sizeof(*y));
    return 0;
}
