/* SPDX-License-Identifier: MIT */
/* The grouped GEMM for experts with equally many rows: right in scored calls, wrong on skewed ones.
 * problem: hard/6 expected: wrong: max */
#include "assay.h"
#include "problem.h"

#include <math.h>
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

/* A row against a column of a matrix with `width` columns. */
static float dot(const uint16_t *x, const uint16_t *w, int64_t depth, int64_t width)
{
    float sum = 0;

    for (int64_t i = 0; i < depth; i++)
        sum += from_bf16(x[i]) * from_bf16(w[i * width]);
    return sum;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const uint16_t *x = in[IN_HIDDEN].data;
    const uint16_t *gate = in[IN_W_GATE].data, *up = in[IN_W_UP].data;
    uint16_t *y = out[OUT_Y].data;
    int64_t experts = in[IN_W_GATE].shape[0], depth = in[IN_W_GATE].shape[1];
    int64_t width = in[IN_W_GATE].shape[2], each = in[IN_HIDDEN].shape[0] / experts;

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t e = 0; e < experts; e++)
        for (int64_t r = e * each; r < (e + 1) * each; r++)
            for (int64_t j = 0; j < width; j++) {
                float g = dot(x + r * depth, gate + e * depth * width + j, depth, width);
                float u = dot(x + r * depth, up + e * depth * width + j, depth, width);

                y[r * width + j] = to_bf16(g / (1 + expf(-g)) * u);
            }
    return 0;
}
