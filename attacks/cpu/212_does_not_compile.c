/* SPDX-License-Identifier: MIT */
/* Uses a name that nobody declared. expected: build_error: compiler */
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t i = 0; i < count; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
