/* SPDX-License-Identifier: MIT */
/* The recurrence as it stands. The columns of a head's state do not meet, so that blocks of 16
 * columns run side by side; eight lanes share a column and keep it in registers from the first step
 * to the last. Steps come through shared memory, 16 at a time. */
#include "assay.h"
#include "problem.h"

#include <cuda_bf16.h>

#define THREADS 128
#define LANES 8 /* to a column */
#define COLS (THREADS / LANES)
#define STEPS 16

struct inputs {
    const __nv_bfloat16 *q, *k, *v, *beta;
    const float *g;
};

template <int keys> struct steps {
    float q[STEPS][keys], k[STEPS][keys], decay[STEPS][keys], v[STEPS][COLS], beta[STEPS];
};

/* n steps; the first is row `at` of the inputs, the next are `stride` rows apart. */
template <int keys>
__device__ void load(const struct inputs *in, int64_t at, int stride, int n, int col0, int values,
                     struct steps<keys> *s)
{
    for (int i = threadIdx.x; i < n * keys; i += THREADS) {
        int64_t from = (at + i / keys * stride) * keys + i % keys;

        s->q[i / keys][i % keys] = __bfloat162float(in->q[from]);
        s->k[i / keys][i % keys] = __bfloat162float(in->k[from]);
        s->decay[i / keys][i % keys] = expf(in->g[from]);
    }
    for (int i = threadIdx.x; i < n * COLS; i += THREADS) {
        int64_t row = at + i / COLS * stride;

        s->v[i / COLS][i % COLS] = __bfloat162float(in->v[row * values + col0 + i % COLS]);
        if (i % COLS == 0)
            s->beta[i / COLS] = __bfloat162float(in->beta[row]);
    }
}

/* Over the lanes of a column, in each of them. */
__device__ float column_sum(float v)
{
    for (int step = LANES / 2; step > 0; step /= 2)
        v += __shfl_xor_sync(~0u, v, step);
    return v;
}

/* Takes the column one step on; returns what the query reads from it. */
template <int keys>
__device__ float take_step(float (&state)[keys / LANES], const struct steps<keys> *s, int step)
{
    int lane = threadIdx.x % LANES, col = threadIdx.x / LANES;
    float known = 0, read = 0, change;

    for (int i = 0; i < keys / LANES; i++) {
        state[i] *= s->decay[step][i * LANES + lane];
        known += s->k[step][i * LANES + lane] * state[i];
    }
    change = s->beta[step] * (s->v[step][col] - column_sum(known));
    for (int i = 0; i < keys / LANES; i++) {
        state[i] += s->k[step][i * LANES + lane] * change;
        read += s->q[step][i * LANES + lane] * state[i];
    }
    return column_sum(read);
}

template <int keys>
__global__ void kda(struct inputs in, __nv_bfloat16 *o, int length, int heads, int values)
{
    __shared__ struct steps<keys> s;
    int64_t first = (int64_t)(blockIdx.y / heads) * length * heads + blockIdx.y % heads;
    int col0 = blockIdx.x * COLS;
    float state[keys / LANES] = {0}, scale = 1 / sqrtf(keys);

    for (int t = 0; t < length; t += STEPS) {
        int n = min(STEPS, length - t);
        int64_t at = first + (int64_t)t * heads;

        __syncthreads(); /* the last steps are taken */
        load<keys>(&in, at, heads, n, col0, values, &s);
        __syncthreads();
        for (int step = 0; step < n; step++) {
            float read = take_step<keys>(state, &s, step);

            if (threadIdx.x % LANES == 0)
                o[(at + step * heads) * values + col0 + threadIdx.x / LANES] =
                    __float2bfloat16(read * scale);
        }
    }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const int64_t *shape = in[IN_Q].shape;
    int length = shape[1], heads = shape[2], keys = shape[3], values = in[IN_V].shape[3];
    struct inputs data = {(const __nv_bfloat16 *)in[IN_Q].data,
                          (const __nv_bfloat16 *)in[IN_K].data,
                          (const __nv_bfloat16 *)in[IN_V].data,
                          (const __nv_bfloat16 *)in[IN_BETA].data, (const float *)in[IN_G].data};
    __nv_bfloat16 *o = (__nv_bfloat16 *)out[OUT_O].data;
    dim3 grid(values / COLS, shape[0] * heads);
    cudaStream_t s = (cudaStream_t)stream;

    if ((keys != 64 && keys != 128) || values % COLS)
        return 1;
    if (keys == 64)
        kda<64><<<grid, THREADS, 0, s>>>(data, o, length, heads, values);
    else
        kda<128><<<grid, THREADS, 0, s>>>(data, o, length, heads, values);
    return cudaGetLastError();
}
