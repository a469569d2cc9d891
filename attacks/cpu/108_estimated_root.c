/* SPDX-License-Identifier: MIT */
/* RMS norm with the processor's estimate of a reciprocal root, twelve bits. problem: level1/36
 * expected: wrong: max or wrong: rms */
#include "assay.h"
#include "problem.h"

#include <immintrin.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    const int64_t *size = in[IN_X].shape;
    int64_t channels = size[1], pixels = size[2] * size[3];

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t b = 0; b < size[0]; b++, x += channels * pixels, y += channels * pixels)
        for (int64_t p = 0; p < pixels; p++) {
            float squares = 0;

            for (int64_t c = 0; c < channels; c++)
                squares += x[c * pixels + p] * x[c * pixels + p];

            float scale =
                _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(squares / (float)channels + 1e-5f)));

            for (int64_t c = 0; c < channels; c++)
                y[c * pixels + p] = x[c * pixels + p] * scale;
        }
    return 0;
}
