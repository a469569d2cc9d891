/* SPDX-License-Identifier: MIT */
/* A GPT block: x += attention(norm(x)); x += mlp(norm(x)). One kernel after the other, through
 * scratch memory for all tokens. */
#include "assay.h"
#include "problem.h"

#define EPS 1e-5f
#define SQRT_2_OVER_PI 0.79788456080286536f
#define THREADS 256
#define WARPS (THREADS / 32)
#define TILE 64
#define DEPTH 16
#define SIDE 16

static float *normed, *mixed, *wide; /* tokens x channels, the same, tokens x the widest layer */

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

/* The maximum over the block, in every thread. */
__device__ float block_max(float v)
{
    __shared__ float partial[WARPS];

    for (int step = 16; step > 0; step /= 2)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, step));
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = v;
    __syncthreads();
    for (int i = 0; i < WARPS; i++)
        v = fmaxf(v, partial[i]);
    return v;
}

__global__ void layer_norm(const float *x, const float *weight, const float *bias, float *y, int n)
{
    float sum = 0, sum_sq = 0;

    x += (int64_t)blockIdx.x * n;
    y += (int64_t)blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += THREADS)
        sum += x[i];

    float mean = block_sum(sum) / n;

    for (int i = threadIdx.x; i < n; i += THREADS)
        sum_sq += (x[i] - mean) * (x[i] - mean);

    float scale = 1 / sqrtf(block_sum(sum_sq) / n + EPS);

    for (int i = threadIdx.x; i < n; i += THREADS)
        y[i] = (x[i] - mean) * scale * weight[i] + bias[i];
}

/* y = x W^T + b by tiles of 64 x 64, 4 x 4 elements to a thread of 16 x 16. */
__global__ void linear(const float *x, const float *weight, const float *bias, float *y, int rows,
                       int inputs, int outputs)
{
    __shared__ float x_tile[DEPTH][TILE + 1], w_tile[DEPTH][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y, thread = ty * SIDE + tx;
    int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float sum[4][4] = {{0}};

    for (int k0 = 0; k0 < inputs; k0 += DEPTH) {
        for (int i = thread; i < TILE * DEPTH; i += SIDE * SIDE) {
            int line = i / DEPTH, k = i % DEPTH;
            bool inside = k0 + k < inputs;

            x_tile[k][line] =
                inside && row0 + line < rows ? x[(int64_t)(row0 + line) * inputs + k0 + k] : 0;
            w_tile[k][line] = inside && col0 + line < outputs
                                  ? weight[(int64_t)(col0 + line) * inputs + k0 + k]
                                  : 0;
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += x_tile[k][ty + SIDE * i] * w_tile[k][tx + SIDE * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            int row = row0 + ty + SIDE * i, col = col0 + tx + SIDE * j;

            if (row < rows && col < outputs)
                y[(int64_t)row * outputs + col] = sum[i][j] + bias[col];
        }
}

/* One query of one head to a block, against the keys up to its own place. A row of qkv holds q, k
 * and v; the scores lie in shared memory. */
__global__ void attention(const float *qkv, float *y, int steps, int channels, int heads)
{
    extern __shared__ float scores[];
    int t = blockIdx.x, head = blockIdx.y, width = channels / heads;
    const float *rows = qkv + (int64_t)blockIdx.z * steps * 3 * channels + head * width;
    const float *query = rows + (int64_t)t * 3 * channels;
    float scale = 1 / sqrtf(width), max = -INFINITY, sum = 0;

    for (int k = threadIdx.x; k <= t; k += THREADS) {
        const float *key = rows + (int64_t)k * 3 * channels + channels;
        float dot = 0;

        for (int i = 0; i < width; i++)
            dot += query[i] * key[i];
        scores[k] = dot * scale;
        max = fmaxf(max, scores[k]);
    }
    max = block_max(max);
    for (int k = threadIdx.x; k <= t; k += THREADS) {
        scores[k] = expf(scores[k] - max);
        sum += scores[k];
    }
    sum = block_sum(sum); /* its barriers also show every thread all scores */
    for (int i = threadIdx.x; i < width; i += THREADS) {
        const float *value = rows + 2 * channels + i;
        float mix = 0;

        for (int k = 0; k <= t; k++)
            mix += scores[k] * value[(int64_t)k * 3 * channels];
        y[((int64_t)blockIdx.z * steps + t) * channels + head * width + i] = mix / sum;
    }
}

__global__ void gelu_tanh(float *x, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;

    if (i < n) {
        float inner = SQRT_2_OVER_PI * (x[i] + 0.044715f * x[i] * x[i] * x[i]);

        x[i] = 0.5f * x[i] * (1 + tanhf(inner));
    }
}

__global__ void add(const float *a, const float *b, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;

    if (i < n)
        y[i] = a[i] + b[i];
}

static const float *data(const DLTensor *t)
{
    return (const float *)t->data;
}

/* A linear layer of all tokens; in[at] is its weight and in[at + 1] its bias. */
static void run_linear(const DLTensor *in, int at, const float *x, float *y, int tokens,
                       cudaStream_t s)
{
    int outputs = in[at].shape[0], inputs = in[at].shape[1];
    dim3 block(SIDE, SIDE), grid((outputs + TILE - 1) / TILE, (tokens + TILE - 1) / TILE);

    linear<<<grid, block, 0, s>>>(x, data(&in[at]), data(&in[at + 1]), y, tokens, inputs, outputs);
}

static int blocks(int64_t n)
{
    return (n + THREADS - 1) / THREADS;
}

int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t tokens = in[IN_X].shape[0] * in[IN_X].shape[1], channels = in[IN_X].shape[2];
    int64_t inner = in[IN_MLP_C_FC_WEIGHT].shape[0];
    int64_t widest = inner > 3 * channels ? inner : 3 * channels;

    cudaFree(normed);
    cudaFree(mixed);
    cudaFree(wide);
    if (cudaMalloc(&normed, tokens * channels * sizeof(*normed)) != cudaSuccess ||
        cudaMalloc(&mixed, tokens * channels * sizeof(*mixed)) != cudaSuccess)
        return 1;
    return cudaMalloc(&wide, tokens * widest * sizeof(*wide));
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int batch = in[IN_X].shape[0], steps = in[IN_X].shape[1], channels = in[IN_X].shape[2];
    int tokens = batch * steps;
    int64_t n = (int64_t)tokens * channels, n_inner = tokens * in[IN_MLP_C_FC_WEIGHT].shape[0];
    const float *x = data(&in[IN_X]);
    float *y = (float *)out[OUT_Y].data;
    cudaStream_t s = (cudaStream_t)stream;

    layer_norm<<<tokens, THREADS, 0, s>>>(x, data(&in[IN_LN_1_WEIGHT]), data(&in[IN_LN_1_BIAS]),
                                          normed, channels);
    run_linear(in, IN_ATTN_C_ATTN_WEIGHT, normed, wide, tokens, s);
    attention<<<dim3(steps, PARAM_HEADS, batch), THREADS, steps * sizeof(float), s>>>(
        wide, mixed, steps, channels, PARAM_HEADS);
    run_linear(in, IN_ATTN_C_PROJ_WEIGHT, mixed, normed, tokens, s);
    add<<<blocks(n), THREADS, 0, s>>>(x, normed, y, n);
    layer_norm<<<tokens, THREADS, 0, s>>>(y, data(&in[IN_LN_2_WEIGHT]), data(&in[IN_LN_2_BIAS]),
                                          normed, channels);
    run_linear(in, IN_MLP_C_FC_WEIGHT, normed, wide, tokens, s);
    gelu_tanh<<<blocks(n_inner), THREADS, 0, s>>>(wide, n_inner);
    run_linear(in, IN_MLP_C_PROJ_WEIGHT, wide, mixed, tokens, s);
    add<<<blocks(n), THREADS, 0, s>>>(y, mixed, y, n);
    return cudaGetLastError();
}
