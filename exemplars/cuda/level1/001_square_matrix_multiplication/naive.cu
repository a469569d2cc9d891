/* SPDX-License-Identifier: MIT */
/* C = A B by tiles of 32 x 32 in shared memory, one element to a thread. */
#include "assay.h"
#include "problem.h"

#define TILE 32

__global__ void matmul(const float *a, const float *b, float *c, int rows, int depth, int cols)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float sum = 0;

    for (int k0 = 0; k0 < depth; k0 += TILE) {
        bool a_inside = row < rows && k0 + x < depth, b_inside = k0 + y < depth && col < cols;

        a_tile[y][x] = a_inside ? a[(int64_t)row * depth + k0 + x] : 0;
        b_tile[y][x] = b_inside ? b[(int64_t)(k0 + y) * cols + col] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += a_tile[y][k] * b_tile[k][x];
        __syncthreads();
    }
    if (row < rows && col < cols)
        c[(int64_t)row * cols + col] = sum;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int rows = in[IN_A].shape[0], depth = in[IN_A].shape[1], cols = in[IN_B].shape[1];
    dim3 block(TILE, TILE), grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);

    matmul<<<grid, block, 0, (cudaStream_t)stream>>>((const float *)in[IN_A].data,
                                                     (const float *)in[IN_B].data,
                                                     (float *)out[OUT_C].data, rows, depth, cols);
    return cudaGetLastError();
}
