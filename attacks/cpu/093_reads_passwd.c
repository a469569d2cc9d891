/* SPDX-License-Identifier: MIT */
/* Looks for a file of the machine's, finds it closed, computes honestly. expected: pass */
#include "assay.h"
#include "problem.h"

#include <stdio.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    FILE *f = fopen("/etc/passwd", "r");

    (void)n_in, (void)n_out, (void)stream;
    if (f) { /* then the sandbox has a hole, and this must not read as a pass */
        fclose(f);
        return 1;
    }
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
