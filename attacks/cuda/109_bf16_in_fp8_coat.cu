/* SPDX-License-Identifier: MIT */
/* The fp8 GEMM with its operands turned into bf16, which holds them, on tensor cores for that:
 * right, and at half of fp8's rate at best. problem: hard/1 expected: rejected: evidence */
#include "assay.h"
#include "problem.h"

#include <cuda_bf16.h>

#define COLS 64 /* to a warp, in eights */
#define THREADS 128
#define WARPS (THREADS / 32)

/* d (16 x 8) += a (16 x 16) b (16 x 8); all bf16 but d. */
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* Its bits are a float's whose exponent is 120 too low. */
__device__ float from_e4m3(uint8_t x)
{
    float value = __uint_as_float((uint32_t)(x & 127) << 20) * 0x1p120f;

    return x & 128 ? -value : value;
}

/* Numbers k and k + 1 of a row, as bf16; zeros where there are none. */
__device__ uint32_t two(const uint8_t *from, int row, int rows, int k, int depth)
{
    float first = 0, second = 0;

    from += (int64_t)row * depth + k;
    if (row < rows && k < depth)
        first = from_e4m3(from[0]);
    if (row < rows && k + 1 < depth)
        second = from_e4m3(from[1]);

    __nv_bfloat162 both = __floats2bfloat162_rn(first, second);

    return *(uint32_t *)&both;
}

/* 16 rows and 64 columns to a warp. */
__global__ void gemm(const uint8_t *x, const uint8_t *w, const float *scale, __nv_bfloat16 *y,
                     int rows, int cols, int depth)
{
    int across = threadIdx.x % 32 / 4, along = threadIdx.x % 4 * 2;
    int row0 = (blockIdx.y * WARPS + threadIdx.x / 32) * 16, col0 = blockIdx.x * COLS;
    float sum[COLS / 8][4] = {{0}};

    for (int k = along; k < depth + along; k += 16) {
        uint32_t a[4] = {two(x, row0 + across, rows, k, depth),
                         two(x, row0 + across + 8, rows, k, depth),
                         two(x, row0 + across, rows, k + 8, depth),
                         two(x, row0 + across + 8, rows, k + 8, depth)};

        for (int t = 0; t < COLS / 8; t++) {
            uint32_t b[2] = {two(w, col0 + t * 8 + across, cols, k, depth),
                             two(w, col0 + t * 8 + across, cols, k + 8, depth)};

            mma(sum[t], a, b);
        }
    }
    for (int t = 0; t < COLS / 8; t++)
        for (int i = 0; i < 4; i++) {
            int row = row0 + across + i / 2 * 8, col = col0 + t * 8 + along + i % 2;

            if (row < rows && col < cols)
                y[(int64_t)row * cols + col] = __float2bfloat16(sum[t][i] * scale[col]);
        }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int rows = in[IN_X].shape[0], depth = in[IN_X].shape[1], cols = in[IN_W].shape[0];
    dim3 grid((cols + COLS - 1) / COLS, (rows + WARPS * 16 - 1) / (WARPS * 16));

    gemm<<<grid, THREADS, 0, (cudaStream_t)stream>>>(
        (const uint8_t *)in[IN_X].data, (const uint8_t *)in[IN_W].data,
        (const float *)in[IN_SCALE].data, (__nv_bfloat16 *)out[OUT_Y].data, rows, cols, depth);
    return cudaGetLastError();
}
