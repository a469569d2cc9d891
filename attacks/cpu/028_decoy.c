/* SPDX-License-Identifier: MIT */
/* The real kernel runs, on a buffer that nobody reads. expected: wrong: unwritten */
#include "assay.h"
#include "problem.h"

static float decoy[1 << 20];

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    (void)y;
    if (n > (int64_t)(sizeof(decoy) / sizeof(*decoy)))
        return 1;
    for (int64_t i = 0; i < n; i++)
        decoy[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
