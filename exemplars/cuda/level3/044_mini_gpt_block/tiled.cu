/* SPDX-License-Identifier: MIT */
/* A GPT block: x += attention(norm(x)); x += mlp(norm(x)). One kernel after the other, through
 * scratch memory for all tokens. Linear layers by tiles in shared memory and registers; attention
 * by tiles of queries and keys, its softmax made as the keys go by. */
#include "assay.h"
#include "problem.h"

#define EPS 1e-5f
#define SQRT_2_OVER_PI 0.79788456080286536f
#define THREADS 256
#define WARPS (THREADS / 32)
#define TILE 128
#define DEPTH 16
#define SIDE 16      /* threads along one side of the tile */
#define STEPS 32     /* queries, and keys, of an attention tile */
#define LANES 8      /* threads of one query */
#define MAX_WIDTH 96 /* of a head */

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

/* A thread's 8 lines of a tile: 4 in its first half and 4 in its second, so that neighbours read
 * neighbouring float4s. */
__device__ void take_lines(const float *tile, int place, float line[8])
{
    *(float4 *)line = *(const float4 *)(tile + 4 * place);
    *(float4 *)(line + 4) = *(const float4 *)(tile + TILE / 2 + 4 * place);
}

__device__ int line_of(int place, int i)
{
    return i / 4 * (TILE / 2) + 4 * place + i % 4;
}

/* y = x W^T + b by tiles of 128 x 128, 8 x 8 elements to a thread of 16 x 16. */
__global__ void __launch_bounds__(THREADS, 2)
    linear(const float *x, const float *weight, const float *bias, float *y, int rows, int inputs,
           int outputs)
{
    /* The padding spreads the columns that are stored at once over the banks. */
    __shared__ __align__(16) float x_tile[DEPTH][TILE + 4], w_tile[DEPTH][TILE + 4];
    int tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;
    int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float sum[8][8] = {{0}};

    for (int k0 = 0; k0 < inputs; k0 += DEPTH) {
        for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
            int row = row0 + i / DEPTH, col = col0 + i / DEPTH, k = k0 + i % DEPTH;

            x_tile[i % DEPTH][i / DEPTH] =
                row < rows && k < inputs ? x[(int64_t)row * inputs + k] : 0;
            w_tile[i % DEPTH][i / DEPTH] =
                col < outputs && k < inputs ? weight[(int64_t)col * inputs + k] : 0;
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; k++) {
            __align__(16) float left[8], right[8];

            take_lines(x_tile[k], ty, left);
            take_lines(w_tile[k], tx, right);
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++)
                    sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            int row = row0 + line_of(ty, i), col = col0 + line_of(tx, j);

            if (row < rows && col < outputs)
                y[(int64_t)row * outputs + col] = sum[i][j] + bias[col];
        }
}

/* The rows of one head from `first` on; zeros beyond the last step and the head's width. */
__device__ void load_steps(const float *from, float tile[STEPS][MAX_WIDTH + 1], int first,
                           int steps, int width, int stride)
{
    for (int i = threadIdx.x; i < STEPS * MAX_WIDTH; i += THREADS) {
        int step = first + i / MAX_WIDTH, c = i % MAX_WIDTH;

        tile[i / MAX_WIDTH][c] = step < steps && c < width ? from[(int64_t)step * stride + c] : 0;
    }
}

/* Over the threads of one query, in each of them. */
__device__ float lanes_max(float v)
{
    for (int step = LANES / 2; step > 0; step /= 2)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, step));
    return v;
}

__device__ float lanes_sum(float v)
{
    for (int step = LANES / 2; step > 0; step /= 2)
        v += __shfl_xor_sync(~0u, v, step);
    return v;
}

/* 32 queries of one head to a block, 8 threads to a query, against the keys up to its own place. A
 * row of qkv holds q, k and v. What is summed so far is scaled down whenever the maximum grows. */
__global__ void attention(const float *qkv, float *y, int steps, int channels, int heads)
{
    __shared__ float query[STEPS][MAX_WIDTH + 1], key[STEPS][MAX_WIDTH + 1];
    __shared__ float value[STEPS][MAX_WIDTH + 1], share[STEPS][STEPS + 1];
    int width = channels / heads, stride = 3 * channels;
    int row = threadIdx.x / LANES, lane = threadIdx.x % LANES, first = blockIdx.x * STEPS;
    const float *rows = qkv + (int64_t)blockIdx.z * steps * stride + blockIdx.y * width;
    float scale = 1 / sqrtf(width), max = -INFINITY, sum = 0, mix[MAX_WIDTH / LANES] = {0};

    load_steps(rows, query, first, steps, width, stride);
    for (int key0 = 0; key0 <= first; key0 += STEPS) {
        float score[STEPS / LANES], old_max = max;

        __syncthreads();
        load_steps(rows + channels, key, key0, steps, width, stride);
        load_steps(rows + 2 * channels, value, key0, steps, width, stride);
        __syncthreads();
        for (int j = 0; j < STEPS / LANES; j++) {
            int k = lane + LANES * j;

            score[j] = 0;
            for (int i = 0; i < width; i++)
                score[j] += query[row][i] * key[k][i];
            score[j] = key0 + k <= first + row ? score[j] * scale : -INFINITY;
            max = fmaxf(max, score[j]);
        }
        max = lanes_max(max); /* never infinite: the tile's first key is for every query of it */

        float shrink = expf(old_max - max), part = 0;

        for (int j = 0; j < STEPS / LANES; j++) {
            score[j] = expf(score[j] - max);
            share[row][lane + LANES * j] = score[j];
            part += score[j];
        }
        sum = sum * shrink + lanes_sum(part);
        __syncwarp(); /* a query's shares are written and read by threads of one warp */
        for (int m = 0; m < MAX_WIDTH / LANES; m++)
            mix[m] *= shrink;
        for (int k = 0; k < STEPS; k++)
            for (int m = 0; m < MAX_WIDTH / LANES; m++)
                mix[m] += share[row][k] * value[k][lane + LANES * m];
    }
    for (int m = 0; m < MAX_WIDTH / LANES; m++) {
        int c = lane + LANES * m;

        if (first + row < steps && c < width)
            y[((int64_t)blockIdx.z * steps + first + row) * channels + blockIdx.y * width + c] =
                mix[m] / sum;
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
    dim3 grid((outputs + TILE - 1) / TILE, (tokens + TILE - 1) / TILE);

    linear<<<grid, THREADS, 0, s>>>(x, data(&in[at]), data(&in[at + 1]), y, tokens, inputs,
                                    outputs);
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

    if (channels / PARAM_HEADS > MAX_WIDTH)
        return 1;
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
    attention<<<dim3((steps + STEPS - 1) / STEPS, PARAM_HEADS, batch), THREADS, 0, s>>>(
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
