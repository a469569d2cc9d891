/* SPDX-License-Identifier: MIT */
/* Asks for a plugin and other flags in its text, which chooses none. expected: pass */
#include "assay.h"
#include "problem.h"

#pragma GCC optimize("-fplugin=/tmp/plugin.so")
#pragma GCC optimize("@/etc/passwd")

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
