/* SPDX-License-Identifier: MIT */
/* C = A B by tiles of 32 x 32 in shared memory, one element to a thread. Without host code. */
#include <stdint.h>

// assay: launch matmul grid=ceil_div(in1.shape[1],32),ceil_div(in0.shape[0],32) block=32,32
// assay:     args=in0,in1,out0,in0.shape[0]:i32,in0.shape[1]:i32,in1.shape[1]:i32

#define TILE 32

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int rows, int depth,
                                  int cols)
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
