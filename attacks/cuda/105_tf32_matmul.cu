/* SPDX-License-Identifier: MIT */
/* The tensor cores' tf32: operands rounded to ten bits of mantissa. One 16 x 16 tile to a warp.
 * problem: level1/1 expected: wrong: max */
#include "assay.h"
#include "problem.h"

#include <mma.h>

#define TILE 16
#define DEPTH 8

using namespace nvcuda;

__global__ void matmul(const float *a, const float *b, float *c, int depth, int cols)
{
    wmma::fragment<wmma::matrix_a, TILE, TILE, DEPTH, wmma::precision::tf32, wmma::row_major>
        a_tile;
    wmma::fragment<wmma::matrix_b, TILE, TILE, DEPTH, wmma::precision::tf32, wmma::row_major>
        b_tile;
    wmma::fragment<wmma::accumulator, TILE, TILE, DEPTH, float> sum;
    int64_t row = blockIdx.y * TILE, col = blockIdx.x * TILE;

    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < depth; k += DEPTH) {
        wmma::load_matrix_sync(a_tile, a + row * depth + k, depth);
        wmma::load_matrix_sync(b_tile, b + (int64_t)k * cols + col, cols);
        for (int i = 0; i < a_tile.num_elements; i++)
            a_tile.x[i] = wmma::__float_to_tf32(a_tile.x[i]);
        for (int i = 0; i < b_tile.num_elements; i++)
            b_tile.x[i] = wmma::__float_to_tf32(b_tile.x[i]);
        wmma::mma_sync(sum, a_tile, b_tile, sum);
    }
    wmma::store_matrix_sync(c + row * cols + col, sum, cols, wmma::mem_row_major);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int rows = in[IN_A].shape[0], depth = in[IN_A].shape[1], cols = in[IN_B].shape[1];

    if (rows % TILE || cols % TILE || depth % DEPTH)
        return 1;
    matmul<<<dim3(cols / TILE, rows / TILE), 32, 0, (cudaStream_t)stream>>>(
        (const float *)in[IN_A].data, (const float *)in[IN_B].data, (float *)out[OUT_C].data, depth,
        cols);
    return cudaGetLastError();
}
