/* SPDX-License-Identifier: MIT */
/* Operands rounded to tf32, ten bits of mantissa. problem: level1/1 expected: wrong: max */
#include "assay.h"
#include "problem.h"

#include <string.h>

static float round_to_tf32(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    bits += 0xfff + (bits >> 13 & 1); /* to nearest, ties to even */
    bits &= 0xffffe000;
    memcpy(&value, &bits, sizeof(bits));
    return value;
}

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
                c[i * cols + j] += round_to_tf32(a[i * depth + k]) * round_to_tf32(b[k * cols + j]);
    }
    return 0;
}
