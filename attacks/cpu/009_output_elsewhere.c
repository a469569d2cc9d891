/* SPDX-License-Identifier: MIT */
/* Points the output tensor at a buffer of its own that was filled once. expected: wrong: unwritten
 */
#include "assay.h"
#include "problem.h"

static float buffer[1 << 20];

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (n > (int64_t)(sizeof(buffer) / sizeof(*buffer)))
        return 1;
    if (y != buffer)
        for (int64_t i = 0; i < n; i++)
            buffer[i] = x[i] > 0 ? x[i] : 0;
    out[OUT_Y].data = buffer;
    return 0;
}
