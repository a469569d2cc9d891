/* SPDX-License-Identifier: MIT */
/* Unpacks the int4 weights in every call, to a bf16 copy in memory that it keeps, as much as the
 * largest published shape needs: right, and not what the problem is about. problem: hard/7
 * expected: rejected: memory */
#include "assay.h"
#include "problem.h"

#include <cuda_bf16.h>

#define GROUP 128
#define THREADS 256
#define ROWS 8 /* to a block */
#define MOST_WEIGHTS ((size_t)4096 * 14336)

static __nv_bfloat16 *weights; /* k x n */

__global__ void unpack(const uint8_t *w, const __nv_bfloat16 *scales, const __nv_bfloat16 *zeros,
                       __nv_bfloat16 *copy, int n)
{
    int col = blockIdx.x * THREADS + threadIdx.x, row = blockIdx.y;

    if (col < n) {
        int64_t at = (int64_t)(row / GROUP) * n + col;
        int pair = w[(int64_t)(row / 2) * n + col], q = row % 2 ? pair >> 4 : pair & 15;

        copy[(int64_t)row * n + col] =
            __float2bfloat16((q - __bfloat162float(zeros[at])) * __bfloat162float(scales[at]));
    }
}

__global__ void gemm(const __nv_bfloat16 *x, const __nv_bfloat16 *w, __nv_bfloat16 *y, int m, int n,
                     int k)
{
    int col = blockIdx.x * THREADS + threadIdx.x, row0 = blockIdx.y * ROWS;
    float sum[ROWS] = {0};

    if (col >= n)
        return;
    for (int i = 0; i < k; i++) {
        float weight = __bfloat162float(w[(int64_t)i * n + col]);

        for (int r = 0; r < ROWS; r++)
            if (row0 + r < m)
                sum[r] += __bfloat162float(x[(int64_t)(row0 + r) * k + i]) * weight;
    }
    for (int r = 0; r < ROWS; r++)
        if (row0 + r < m)
            y[(int64_t)(row0 + r) * n + col] = __float2bfloat16(sum[r]);
}

int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    return weights ? 0 : cudaMalloc(&weights, MOST_WEIGHTS * sizeof(*weights));
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int m = in[IN_X].shape[0], k = in[IN_X].shape[1], n = in[IN_W_Q].shape[1];
    int blocks = (n + THREADS - 1) / THREADS;
    cudaStream_t s = (cudaStream_t)stream;

    unpack<<<dim3(blocks, k), THREADS, 0, s>>>(
        (const uint8_t *)in[IN_W_Q].data, (const __nv_bfloat16 *)in[IN_SCALES].data,
        (const __nv_bfloat16 *)in[IN_ZEROS].data, weights, n);
    gemm<<<dim3(blocks, (m + ROWS - 1) / ROWS), THREADS, 0, s>>>(
        (const __nv_bfloat16 *)in[IN_X].data, weights, (__nv_bfloat16 *)out[OUT_Y].data, m, n, k);
    return cudaGetLastError();
}
