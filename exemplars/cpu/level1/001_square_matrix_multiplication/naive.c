/* SPDX-License-Identifier: MIT */
/* C = A B by the definition, with the loops in an order that reads B along its rows. */
#include "assay.h"
#include "problem.h"

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *a = in[IN_A].data, *b = in[IN_B].data;
    float *c = out[OUT_C].data;
    int64_t rows = in[IN_A].shape[0], depth = in[IN_A].shape[1], cols = in[IN_B].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++)
            c[i * cols + j] = 0;
        for (int64_t k = 0; k < depth; k++)
            for (int64_t j = 0; j < cols; j++)
                c[i * cols + j] += a[i * depth + k] * b[k * cols + j];
    }
    return 0;
}
