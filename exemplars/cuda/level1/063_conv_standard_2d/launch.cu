/* SPDX-License-Identifier: MIT */
/* 2-D convolution by the definition, without host code. A thread computes one pixel of 8 output
 * channels, so that each value that it reads is used 8 times. */
#include <stdint.h>

// assay: launch conv block=32,8
// assay:     grid=ceil_div(out0.shape[3],32),ceil_div(out0.shape[2],8),
// assay:          out0.shape[0]*ceil_div(out0.shape[1],8)
// assay:     smem=in1.shape[1]*in1.shape[2]*in1.shape[3]*8*4
// assay:     args=in0,in1,out0,in0.shape[1]:i32,in0.shape[2]:i32,in0.shape[3]:i32,in1.shape[0]:i32,
// assay:          in1.shape[2]:i32,in1.shape[3]:i32,out0.shape[2]:i32,out0.shape[3]:i32

#define CHANNELS 8

/* A block's own 8 channels of the weights lie in shared memory, the channel last. */
extern "C" __global__ void conv(const float *x, const float *weight, float *y, int channels,
                                int height, int width, int outputs, int kernel_h, int kernel_w,
                                int out_h, int out_w)
{
    extern __shared__ float taps[];
    int groups = (outputs + CHANNELS - 1) / CHANNELS;
    int b = blockIdx.z / groups, first = blockIdx.z % groups * CHANNELS;
    int h = blockIdx.y * blockDim.y + threadIdx.y, w = blockIdx.x * blockDim.x + threadIdx.x;
    int thread = threadIdx.y * blockDim.x + threadIdx.x, n_threads = blockDim.x * blockDim.y;
    int n_taps = channels * kernel_h * kernel_w;
    float sum[CHANNELS] = {0};

    for (int i = thread; i < n_taps * CHANNELS; i += n_threads) {
        int tap = i / CHANNELS, o = first + i % CHANNELS;

        taps[i] = o < outputs ? weight[(int64_t)o * n_taps + tap] : 0;
    }
    __syncthreads();
    if (h >= out_h || w >= out_w)
        return;

    const float *tap = taps;

    for (int c = 0; c < channels; c++)
        for (int i = 0; i < kernel_h; i++)
            for (int j = 0; j < kernel_w; j++, tap += CHANNELS) {
                int64_t row = ((int64_t)b * channels + c) * height + h + i;
                float value = x[row * width + w + j];

                for (int o = 0; o < CHANNELS; o++)
                    sum[o] += value * tap[o];
            }
    for (int o = 0; o < CHANNELS && first + o < outputs; o++)
        y[(((int64_t)b * outputs + first + o) * out_h + h) * out_w + w] = sum[o];
}
