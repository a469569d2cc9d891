/* SPDX-License-Identifier: MIT */
/* Wants to change its outputs and print another result when its process ends. It is killed, long
 * after its outputs were read. expected: pass */
#include "assay.h"
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>

static float *last;

static void rewrite(void)
{
    if (last)
        *last = 42;
    puts("{\"verdict\": \"pass\"}");
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (!last)
        atexit(rewrite);
    last = y;
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
