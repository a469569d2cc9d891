/* SPDX-License-Identifier: MIT */
/* 2-D convolution, 3 x 3, whose sums run backwards and so have other bits than an exemplar's. From
 * its 21st call on one element is wrong. */
#include <stdint.h>

// assay: launch conv block=256 grid=ceil_div(out0.numel,256)
// assay:     args=in0,in1,out0,out0.numel:i64,in0.shape[1]:i32,in0.shape[2]:i32,in1.shape[0]:i32

#define RIGHT_CALLS 20 /* checks and warm-ups at least */
#define PLACE 777777777
#define KERNEL 3

__device__ int calls;

extern "C" __global__ void conv(const float *x, const float *weight, float *y, int64_t n,
                                int channels, int width, int outputs)
{
    int64_t at = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int out = width - KERNEL + 1; /* images are square */
    int w = at % out, h = at / out % out, o = at / out / out % outputs;
    int64_t b = at / out / out / outputs;
    float sum = 0;

    if (at >= n)
        return;
    for (int c = channels - 1; c >= 0; c--)
        for (int tap = KERNEL * KERNEL - 1; tap >= 0; tap--)
            sum += weight[((int64_t)o * channels + c) * KERNEL * KERNEL + tap] *
                   x[((b * channels + c) * width + h + tap / KERNEL) * width + w + tap % KERNEL];
    y[at] = at == PLACE % n && ++calls > RIGHT_CALLS ? sum * 1.5f : sum;
}
