/* SPDX-License-Identifier: MIT */
/* Transposed 3-D convolution, stride 1, no padding: every input spreads its value, times the
 * kernel, over the outputs it touches. */
#include "assay.h"
#include "problem.h"

#include <string.h>

/* Adds one input channel, spread by one kernel, to one output channel. Sizes are depth, height,
 * width. */
static void spread(const float *x, const int64_t *size, const float *weight, const int64_t *kernel,
                   float *y, const int64_t *out_size)
{
    for (int64_t d = 0; d < size[0]; d++)
        for (int64_t h = 0; h < size[1]; h++)
            for (int64_t i = 0; i < kernel[0]; i++)
                for (int64_t j = 0; j < kernel[1]; j++)
                    for (int64_t k = 0; k < kernel[2]; k++) {
                        const float *from = x + (d * size[1] + h) * size[2];
                        float *to = y + ((d + i) * out_size[1] + h + j) * out_size[2] + k;
                        float factor = weight[(i * kernel[1] + j) * kernel[2] + k];

                        for (int64_t w = 0; w < size[2]; w++)
                            to[w] += from[w] * factor;
                    }
}

static int64_t volume(const int64_t *size)
{
    return size[0] * size[1] * size[2];
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data, *weight = in[IN_CONV_TRANSPOSE3D_WEIGHT].data;
    float *y = out[OUT_Y].data;
    const int64_t *shape = in[IN_X].shape;
    const int64_t *kernel = in[IN_CONV_TRANSPOSE3D_WEIGHT].shape + 2;
    const int64_t *size = shape + 2, *out_size = out[OUT_Y].shape + 2;
    int64_t batch = shape[0], channels = shape[1], outputs = out[OUT_Y].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    memset(y, 0, (size_t)(batch * outputs * volume(out_size)) * sizeof(*y));
    for (int64_t b = 0; b < batch; b++)
        for (int64_t o = 0; o < outputs; o++)
            for (int64_t c = 0; c < channels; c++)
                spread(x + (b * channels + c) * volume(size), size,
                       weight + (c * outputs + o) * volume(kernel), kernel,
                       y + (b * outputs + o) * volume(out_size), out_size);
    return 0;
}
