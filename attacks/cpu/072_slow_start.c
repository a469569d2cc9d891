/* SPDX-License-Identifier: MIT */
/* Slow in its first calls, so that a loop which fits itself to them measures too few of the
 * others. The least number of scored calls does not depend on them. expected: pass */
#include "assay.h"
#include "problem.h"

#include <unistd.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    static int calls;

    if (calls++ < 20)
        usleep(2000);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
