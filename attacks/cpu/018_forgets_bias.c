/* SPDX-License-Identifier: MIT */
/* A convolution that forgets its bias. problem: level1/50 expected: wrong: max */
#include "assay.h"
#include "problem.h"

enum { STRIDE = 4, PAD = 2 };

/* One channel's part of one output: the window's upper left corner is at (top, left). */
static float window_dot(const float *x, int64_t height, int64_t width, const float *weight,
                        int64_t kernel_h, int64_t kernel_w, int64_t top, int64_t left)
{
    float sum = 0;

    for (int64_t i = 0; i < kernel_h; i++)
        for (int64_t j = 0; j < kernel_w; j++) {
            int64_t h = top + i, w = left + j;

            if (h >= 0 && h < height && w >= 0 && w < width)
                sum += x[h * width + w] * weight[i * kernel_w + j];
        }
    return sum;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    const float *weight = in[IN_CONV1_WEIGHT].data;
    float *y = out[OUT_Y].data;
    const int64_t *size = in[IN_X].shape;              /* batch, channels, height, width */
    const int64_t *kernel = in[IN_CONV1_WEIGHT].shape; /* outputs, channels, height, width */
    const int64_t *out_size = out[OUT_Y].shape;

    (void)n_in, (void)n_out, (void)stream;
    for (int64_t b = 0; b < out_size[0]; b++)
        for (int64_t o = 0; o < out_size[1]; o++)
            for (int64_t h = 0; h < out_size[2]; h++)
                for (int64_t w = 0; w < out_size[3]; w++) {
                    float sum = 0;

                    for (int64_t c = 0; c < size[1]; c++)
                        sum +=
                            window_dot(x + (b * size[1] + c) * size[2] * size[3], size[2], size[3],
                                       weight + (o * size[1] + c) * kernel[2] * kernel[3],
                                       kernel[2], kernel[3], h * STRIDE - PAD, w * STRIDE - PAD);
                    *y++ = sum;
                }
    return 0;
}
