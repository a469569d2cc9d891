/* SPDX-License-Identifier: MIT */
/* Transposed convolution, batch norm with the batch's own statistics, tanh, 2 x 2 max pooling,
 * group norm: four kernels, through one scratch image. The convolution goes through shared memory,
 * one input channel after the other; a thread holds 2 x 2 pixels of 16 output channels in
 * registers. */
#include "assay.h"
#include "problem.h"

#define EPS 1e-5f
#define PAD 1
#define POOL 2
#define KERNEL 5
#define TAPS (KERNEL * KERNEL)
#define CHANNELS 16 /* of a thread of the convolution */
#define QUADS 17    /* along one side of a block of it, 2 x 2 pixels each */
#define TILE (2 * QUADS)
#define HALO (TILE + KERNEL - 1)
#define CONV_THREADS 320 /* QUADS * QUADS, in whole warps */
#define THREADS 512
#define WARPS (THREADS / 32)

struct image { /* batch, channels, height, width */
    int batch, channels, height, width;
};

static float *scratch;    /* the convolution's image */
static float *mean_scale; /* 2 for each of its channels */

/* The inputs that the tile's windows reach: its first pixel's last tap comes first. */
__device__ void load_pixels(const float *plane, float pixels[HALO][HALO], int top, int left,
                            struct image in)
{
    for (int i = threadIdx.x; i < HALO * HALO; i += CONV_THREADS) {
        int h = top + PAD - (KERNEL - 1) + i / HALO, w = left + PAD - (KERNEL - 1) + i % HALO;
        bool inside = h >= 0 && h < in.height && w >= 0 && w < in.width;

        pixels[i / HALO][i % HALO] = inside ? plane[h * in.width + w] : 0;
    }
}

/* The taps of one input channel, the output channel last. */
__device__ void load_taps(const float *weight, float taps[TAPS][CHANNELS], int c, int first,
                          int outputs)
{
    for (int i = threadIdx.x; i < TAPS * CHANNELS; i += CONV_THREADS) {
        int o = first + i % CHANNELS;

        taps[i / CHANNELS][i % CHANNELS] =
            o < outputs ? weight[((int64_t)c * outputs + o) * TAPS + i / CHANNELS] : 0;
    }
}

/* Every output gathers the inputs whose window reaches it. */
__global__ void __launch_bounds__(CONV_THREADS)
    conv_transpose(const float *x, const float *weight, const float *bias, float *y,
                   struct image in, struct image out, int tiles_w)
{
    __shared__ float pixels[HALO][HALO];
    __shared__ __align__(16) float taps[TAPS][CHANNELS];
    int top = blockIdx.x / tiles_w * TILE, left = blockIdx.x % tiles_w * TILE;
    int first = blockIdx.y * CHANNELS, b = blockIdx.z;
    /* The threads beyond the last quad compute it once more and write nothing. */
    int quad = min((int)threadIdx.x, QUADS * QUADS - 1);
    int qh = quad / QUADS * 2, qw = quad % QUADS * 2;
    float sum[4][CHANNELS] = {{0}};

    for (int c = 0; c < in.channels; c++) {
        __syncthreads();
        load_pixels(x + ((int64_t)b * in.channels + c) * in.height * in.width, pixels, top, left,
                    in);
        load_taps(weight, taps, c, first, out.channels);
        __syncthreads();
#pragma unroll 5
        for (int tap = 0; tap < TAPS; tap++)
            for (int p = 0; p < 4; p++) {
                int h = qh + p / 2 + KERNEL - 1 - tap / KERNEL;
                int w = qw + p % 2 + KERNEL - 1 - tap % KERNEL;
                float value = pixels[h][w];

                for (int o = 0; o < CHANNELS; o++)
                    sum[p][o] += value * taps[tap][o];
            }
    }
    for (int p = 0; p < 4; p++)
        for (int o = 0; o < CHANNELS; o++) {
            int h = top + qh + p / 2, w = left + qw + p % 2;

            if (threadIdx.x < QUADS * QUADS && h < out.height && w < out.width &&
                first + o < out.channels)
                y[(((int64_t)b * out.channels + first + o) * out.height + h) * out.width + w] =
                    sum[p][o] + bias[first + o];
        }
}

/* The sum over the block, in every thread. */
__device__ float block_sum(float v)
{
    __shared__ float partial[WARPS];

    for (int step = 16; step > 0; step /= 2)
        v += __shfl_xor_sync(~0u, v, step);
    __syncthreads(); /* the last round's readers are done */
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int i = 0; i < WARPS; i++)
        v += partial[i];
    return v;
}

/* Mean and 1 / sqrt(variance + eps) of one channel to a block; two passes. */
__global__ void channel_statistics(const float *x, float *ret, struct image size)
{
    int pixels = size.height * size.width, n = size.batch * pixels, c = blockIdx.x;
    float sum = 0, sum_sq = 0;

    for (int i = threadIdx.x; i < n; i += THREADS)
        sum += x[((int64_t)(i / pixels) * size.channels + c) * pixels + i % pixels];

    float mean = block_sum(sum) / n;

    for (int i = threadIdx.x; i < n; i += THREADS) {
        float centred = x[((int64_t)(i / pixels) * size.channels + c) * pixels + i % pixels] - mean;

        sum_sq += centred * centred;
    }
    sum_sq = block_sum(sum_sq);
    if (threadIdx.x == 0) {
        ret[2 * c] = mean;
        ret[2 * c + 1] = 1 / sqrtf(sum_sq / n + EPS);
    }
}

/* One pooled pixel to a thread: the largest of the normed, squashed values of its window. */
__global__ void norm_tanh_pool(const float *x, const float *statistics, const float *weight,
                               const float *bias, float *y, struct image size, struct image out)
{
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t plane = i / (out.height * out.width);
    int pixel = i % (out.height * out.width), c = plane % size.channels;
    int top = pixel / out.width * POOL, left = pixel % out.width * POOL;
    float max = -INFINITY;

    if (plane >= (int64_t)out.batch * out.channels)
        return;
    for (int h = 0; h < POOL; h++)
        for (int w = 0; w < POOL; w++) {
            float v = x[(plane * size.height + top + h) * size.width + left + w];

            v = (v - statistics[2 * c]) * statistics[2 * c + 1] * weight[c] + bias[c];
            max = fmaxf(max, tanhf(v));
        }
    y[i] = max;
}

/* In place, one group of one image to a block. */
__global__ void group_norm(float *x, const float *weight, const float *bias, struct image size,
                           int groups)
{
    int members = size.channels / groups, pixels = size.height * size.width;
    int n = members * pixels, first = blockIdx.x % groups * members;
    float sum = 0, sum_sq = 0;

    x += (int64_t)blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += THREADS)
        sum += x[i];

    float mean = block_sum(sum) / n;

    for (int i = threadIdx.x; i < n; i += THREADS)
        sum_sq += (x[i] - mean) * (x[i] - mean);

    float scale = 1 / sqrtf(block_sum(sum_sq) / n + EPS);

    for (int i = threadIdx.x; i < n; i += THREADS) {
        int c = first + i / pixels;

        x[i] = (x[i] - mean) * scale * weight[c] + bias[c];
    }
}

static struct image image_of(const DLTensor *t)
{
    return {(int)t->shape[0], (int)t->shape[1], (int)t->shape[2], (int)t->shape[3]};
}

static struct image convolved(const DLTensor *in)
{
    const int64_t *size = in[IN_X].shape, *kernel = in[IN_CONV_TRANSPOSE_WEIGHT].shape;

    return {(int)size[0], (int)kernel[1], (int)(size[2] + kernel[2] - 1 - 2 * PAD),
            (int)(size[3] + kernel[3] - 1 - 2 * PAD)};
}

int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    struct image size = convolved(in);
    size_t pixels = (size_t)size.batch * size.channels * size.height * size.width;

    cudaFree(scratch);
    cudaFree(mean_scale);
    if (cudaMalloc(&scratch, pixels * sizeof(*scratch)) != cudaSuccess)
        return 1;
    return cudaMalloc(&mean_scale, 2 * size.channels * sizeof(*mean_scale));
}

static const float *data(const DLTensor *t)
{
    return (const float *)t->data;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    struct image from = image_of(&in[IN_X]), size = convolved(in), to = image_of(&out[OUT_Y]);
    const int64_t *kernel = in[IN_CONV_TRANSPOSE_WEIGHT].shape;
    int tiles_w = (size.width + TILE - 1) / TILE, tiles_h = (size.height + TILE - 1) / TILE;
    dim3 conv_grid(tiles_w * tiles_h, (size.channels + CHANNELS - 1) / CHANNELS, size.batch);
    int64_t pooled = (int64_t)to.batch * to.channels * to.height * to.width;
    float *y = (float *)out[OUT_Y].data;
    cudaStream_t s = (cudaStream_t)stream;

    if (kernel[2] != KERNEL || kernel[3] != KERNEL)
        return 1;
    conv_transpose<<<conv_grid, CONV_THREADS, 0, s>>>(
        data(&in[IN_X]), data(&in[IN_CONV_TRANSPOSE_WEIGHT]), data(&in[IN_CONV_TRANSPOSE_BIAS]),
        scratch, from, size, tiles_w);
    channel_statistics<<<size.channels, THREADS, 0, s>>>(scratch, mean_scale, size);
    norm_tanh_pool<<<(pooled + THREADS - 1) / THREADS, THREADS, 0, s>>>(
        scratch, mean_scale, data(&in[IN_BATCH_NORM_WEIGHT]), data(&in[IN_BATCH_NORM_BIAS]), y,
        size, to);
    group_norm<<<to.batch * PARAM_G, THREADS, 0, s>>>(y, data(&in[IN_GROUP_NORM_WEIGHT]),
                                                      data(&in[IN_GROUP_NORM_BIAS]), to, PARAM_G);
    return cudaGetLastError();
}
