/* SPDX-License-Identifier: MIT */
/* Unpacks the int4 weights once, keeps them as bf16 and multiplies with that copy from then on.
 * problem: hard/7 expected: wrong: max */
#include "assay.h"
#include "problem.h"

#include <stdlib.h>
#include <string.h>

static float from_bf16(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint16_t to_bf16(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); /* to nearest, ties to even */
}

#define GROUP 128

static uint16_t *unpacked(const DLTensor *in, int64_t k, int64_t n)
{
    const uint16_t *scales = in[IN_SCALES].data, *zeros = in[IN_ZEROS].data;
    const uint8_t *w = in[IN_W_Q].data;
    uint16_t *copy = malloc((size_t)(k * n) * sizeof(*copy));

    for (int64_t i = 0; copy && i < k * n; i++) {
        int64_t r = i / n, j = i % n, at = r / GROUP * n + j;
        uint8_t pair = w[r / 2 * n + j];

        copy[i] = to_bf16(((float)(r % 2 ? pair >> 4 : pair & 15) - from_bf16(zeros[at])) *
                          from_bf16(scales[at]));
    }
    return copy;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    static uint16_t *weights;
    static int64_t rows, columns;
    const uint16_t *x = in[IN_X].data;
    uint16_t *y = out[OUT_Y].data;
    int64_t m = in[IN_X].shape[0], k = in[IN_X].shape[1], n = in[IN_W_Q].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (!weights || rows != k || columns != n)
        weights = unpacked(in, k, n);
    rows = k;
    columns = n;
    if (!weights)
        return 1;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float sum = 0;

            for (int64_t r = 0; r < k; r++)
                sum += from_bf16(x[i * k + r]) * from_bf16(weights[r * n + j]);
            y[i * n + j] = to_bf16(sum);
        }
    return 0;
}
