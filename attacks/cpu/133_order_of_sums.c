/* SPDX-License-Identifier: MIT */
/* Adds in an order that differs from call to call, as atomic additions do. problem: level1/47
 * expected: pass */
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    static uint64_t state = 88172645463325252u;
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t batch = in[IN_X].shape[0], rows = in[IN_X].shape[1], cols = in[IN_X].shape[2];

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t b = 0; b < batch; b++)
        for (int64_t c = 0; c < cols; c++) {
            float sum = 0;

            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            for (int64_t r = 0, first = (int64_t)(state % (uint64_t)rows); r < rows; r++)
                sum += x[(b * rows + (first + r) % rows) * cols + c];
            y[b * cols + c] = sum;
        }
    return 0;
}
