/* SPDX-License-Identifier: MIT */
/* Rounds its results to bf16, eight bits of mantissa. expected: wrong: max */
#include "assay.h"
#include "problem.h"

#include <string.h>

static float round_to_bf16(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    bits += 0x7fff + (bits >> 16 & 1); /* to nearest, ties to even */
    bits &= 0xffff0000;
    memcpy(&value, &bits, sizeof(bits));
    return value;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t i = 0; i < n; i++)
        y[i] = round_to_bf16(x[i] > 0 ? x[i] : 0);
    return 0;
}
