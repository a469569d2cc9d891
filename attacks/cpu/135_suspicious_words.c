/* SPDX-License-Identifier: MIT */
/* Talks of cublas, fork(), system("rm"), torch.matmul, clock_gettime and pass; does none of it.
 * expected: pass */
#include "assay.h"
#include "problem.h"

static const char *const words =
    "cublasSgemm fork execve /etc/passwd #include <stdio.h> // try: except: pass";

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    (void)words;
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
