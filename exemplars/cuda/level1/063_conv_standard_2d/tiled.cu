/* SPDX-License-Identifier: MIT */
/* 2-D convolution, 3 x 3. A block computes 32 x 32 pixels of 16 output channels, one input channel
 * after the other through shared memory; a thread holds 4 pixels of all 16 in registers. */
#include "assay.h"
#include "problem.h"

#define KERNEL 3
#define TILE 32
#define ROWS 4                /* pixels of a thread, one below the other */
#define BLOCK_H (TILE / ROWS) /* threads */
#define HALO (TILE + KERNEL - 1)
#define CHANNELS 16
#define TAPS (KERNEL * KERNEL)
#define THREADS (TILE * BLOCK_H)

struct sizes {
    int channels, height, width, outputs, out_h, out_w;
};

__device__ void load_pixels(const float *plane, float pixels[HALO][HALO], int top, int left,
                            struct sizes s)
{
    for (int i = threadIdx.x; i < HALO * HALO; i += THREADS) {
        int h = top + i / HALO, w = left + i % HALO;

        pixels[i / HALO][i % HALO] = h < s.height && w < s.width ? plane[h * s.width + w] : 0;
    }
}

/* The taps of one input channel, the output channel last. */
__device__ void load_taps(const float *weight, float taps[TAPS][CHANNELS], int c, int first,
                          struct sizes s)
{
    for (int i = threadIdx.x; i < TAPS * CHANNELS; i += THREADS) {
        int o = first + i % CHANNELS;

        taps[i / CHANNELS][i % CHANNELS] =
            o < s.outputs ? weight[((int64_t)o * s.channels + c) * TAPS + i / CHANNELS] : 0;
    }
}

__global__ void __launch_bounds__(THREADS, 2)
    conv(const float *x, const float *weight, float *y, struct sizes s)
{
    __shared__ float pixels[HALO][HALO];
    __shared__ __align__(16) float taps[TAPS][CHANNELS];
    int groups = (s.outputs + CHANNELS - 1) / CHANNELS;
    int b = blockIdx.z / groups, first = blockIdx.z % groups * CHANNELS;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    int tx = threadIdx.x % TILE, ty = threadIdx.x / TILE * ROWS;
    float sum[ROWS][CHANNELS] = {{0}};

    for (int c = 0; c < s.channels; c++) {
        __syncthreads();
        load_pixels(x + ((int64_t)b * s.channels + c) * s.height * s.width, pixels, top, left, s);
        load_taps(weight, taps, c, first, s);
        __syncthreads();
#pragma unroll
        for (int tap = 0; tap < TAPS; tap++)
            for (int r = 0; r < ROWS; r++) {
                float value = pixels[ty + r + tap / KERNEL][tx + tap % KERNEL];

                for (int o = 0; o < CHANNELS; o++)
                    sum[r][o] += value * taps[tap][o];
            }
    }
    for (int r = 0; r < ROWS; r++)
        for (int o = 0; o < CHANNELS; o++) {
            int h = top + ty + r, w = left + tx;

            if (h < s.out_h && w < s.out_w && first + o < s.outputs)
                y[(((int64_t)b * s.outputs + first + o) * s.out_h + h) * s.out_w + w] = sum[r][o];
        }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const int64_t *size = in[IN_X].shape;               /* batch, channels, height, width */
    const int64_t *kernel = in[IN_CONV2D_WEIGHT].shape; /* outputs, channels, height, width */
    const int64_t *to = out[OUT_Y].shape;
    struct sizes s = {(int)size[1],   (int)size[2], (int)size[3],
                      (int)kernel[0], (int)to[2],   (int)to[3]};
    dim3 grid((s.out_w + TILE - 1) / TILE, (s.out_h + TILE - 1) / TILE,
              size[0] * ((s.outputs + CHANNELS - 1) / CHANNELS));

    if (kernel[2] != KERNEL || kernel[3] != KERNEL)
        return 1;
    conv<<<grid, THREADS, 0, (cudaStream_t)stream>>>((const float *)in[IN_X].data,
                                                     (const float *)in[IN_CONV2D_WEIGHT].data,
                                                     (float *)out[OUT_Y].data, s);
    return cudaGetLastError();
}
