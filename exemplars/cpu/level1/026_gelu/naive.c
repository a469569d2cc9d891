/* SPDX-License-Identifier: MIT */
/* The exact GELU: x times the normal distribution's cumulative probability at x. */
#include "assay.h"
#include "problem.h"

#include <math.h>

#define SQRT_HALF 0.70710678118654752f

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t i = 0; i < n; i++)
        y[i] = 0.5f * x[i] * (1 + erff(x[i] * SQRT_HALF));
    return 0;
}
