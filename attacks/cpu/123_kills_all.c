/* SPDX-License-Identifier: MIT */
/* Kills all it can, then computes honestly. expected: rejected: sandbox */
#include "assay.h"
#include "problem.h"

#include <signal.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    kill(-1, SIGKILL);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
