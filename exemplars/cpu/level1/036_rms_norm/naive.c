/* SPDX-License-Identifier: MIT */
/* RMS norm over the channels of an image: every pixel's channel vector is divided by its RMS. */
#include "assay.h"
#include "problem.h"

#include <math.h>

#define EPS 1e-5f

/* One pixel: `channels` values, `stride` apart. */
static void rms_norm_pixel(const float *x, float *y, int64_t channels, int64_t stride)
{
    float sum = 0;

    for (int64_t c = 0; c < channels; c++)
        sum += x[c * stride] * x[c * stride];

    float rms = sqrtf(sum / (float)channels + EPS);

    for (int64_t c = 0; c < channels; c++)
        y[c * stride] = x[c * stride] / rms;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    const int64_t *shape = in[IN_X].shape; /* batch, channels, height, width */
    int64_t channels = shape[1], pixels = shape[2] * shape[3];

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t b = 0; b < shape[0]; b++)
        for (int64_t p = 0; p < pixels; p++) {
            int64_t at = b * channels * pixels + p;

            rms_norm_pixel(x + at, y + at, channels, pixels);
        }
    return 0;
}
