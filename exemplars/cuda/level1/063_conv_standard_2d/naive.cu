/* SPDX-License-Identifier: MIT */
/* 2-D convolution by the definition. A thread computes one pixel of 8 output channels, so that each
 * value that it reads is used 8 times. */
#include "assay.h"
#include "problem.h"

#define BLOCK_W 32
#define BLOCK_H 8
#define CHANNELS 8

/* A block's own 8 channels of the weights lie in shared memory, the channel last. */
__global__ void conv(const float *x, const float *weight, float *y, int channels, int height,
                     int width, int outputs, int kernel_h, int kernel_w, int out_h, int out_w)
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

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const int64_t *size = in[IN_X].shape;               /* batch, channels, height, width */
    const int64_t *kernel = in[IN_CONV2D_WEIGHT].shape; /* outputs, channels, height, width */
    const int64_t *out_size = out[OUT_Y].shape;
    size_t taps_bytes = kernel[1] * kernel[2] * kernel[3] * CHANNELS * sizeof(float);
    dim3 block(BLOCK_W, BLOCK_H);
    dim3 grid((out_size[3] + BLOCK_W - 1) / BLOCK_W, (out_size[2] + BLOCK_H - 1) / BLOCK_H,
              out_size[0] * ((out_size[1] + CHANNELS - 1) / CHANNELS));

    conv<<<grid, block, taps_bytes, (cudaStream_t)stream>>>(
        (const float *)in[IN_X].data, (const float *)in[IN_CONV2D_WEIGHT].data,
        (float *)out[OUT_Y].data, size[1], size[2], size[3], kernel[0], kernel[2], kernel[3],
        out_size[2], out_size[3]);
    return cudaGetLastError();
}
