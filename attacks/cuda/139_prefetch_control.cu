/* SPDX-License-Identifier: MIT */
/* What the attacks 227 want to be ahead of, done in its own time: each block first asks for all of
 * its weights, so that they are in the cache, or on their way, when it reads them. The rest is the
 * exemplar's. problem: hard/7 sizes: full expected: pass */
#include "assay.h"
#include "problem.h"

#include <cuda_bf16.h>

#define GROUP 128
#define THREADS 128
#define COLS 32             /* to a block, 8 to a warp */
#define PACKED (GROUP / 2)  /* bytes of a column in a group */
#define W_PITCH (COLS + 8)  /* so that four rows at a time meet no bank twice */
#define X_PITCH (GROUP + 8) /* the same for eight */

/* d (16 x 8) += a (16 x 16) b (16 x 8); all bf16 but d. */
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* Two rows of a column: q - zero each. */
__device__ uint32_t unpack(uint8_t pair, float zero)
{
    __nv_bfloat162 both = __floats2bfloat162_rn((pair & 15) - zero, (pair >> 4) - zero);

    return *(uint32_t *)&both;
}

/* A group's weights and activations; zeros where there is no row of x. */
template <int rows>
__device__ void load_group(const __nv_bfloat16 *x, const uint8_t *w, int m, int n, int k, int group,
                           __nv_bfloat16 (*x_tile)[X_PITCH], uint8_t (*w_tile)[W_PITCH])
{
    for (int i = threadIdx.x; i < PACKED * COLS / 8; i += THREADS) {
        int row = i / (COLS / 8), at = i % (COLS / 8) * 8;

        *(uint2 *)&w_tile[row][at] = *(const uint2 *)&w[(int64_t)(group * PACKED + row) * n + at];
    }
    for (int i = threadIdx.x; i < rows * GROUP / 8; i += THREADS) {
        int row = i / (GROUP / 8), at = i % (GROUP / 8) * 8;
        uint4 piece = make_uint4(0, 0, 0, 0);

        if (row < m)
            piece = *(const uint4 *)&x[(int64_t)row * k + group * GROUP + at];
        *(uint4 *)&x_tile[row][at] = piece;
    }
}

/* Into the cache and no further; it is not waited for. */
__device__ void prefetch_line(const uint8_t *at)
{
    asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(at));
}

/* Asks for the weights of a block's columns. */
__device__ void prefetch(const uint8_t *w, int n, int k)
{
    for (int row = threadIdx.x; row < k / 2; row += THREADS)
        prefetch_line(w + (int64_t)row * n);
}

/* TILES x 16 rows and 32 columns to a block, 8 columns to a warp. */
template <int tiles>
__global__ void __launch_bounds__(THREADS)
    gemm(const __nv_bfloat16 *x, const uint8_t *w, const __nv_bfloat16 *scales,
         const __nv_bfloat16 *zeros, __nv_bfloat16 *y, int m, int n, int k)
{
    __shared__ __align__(16) __nv_bfloat16 x_tile[tiles * 16][X_PITCH];
    __shared__ __align__(16) uint8_t w_tile[PACKED][W_PITCH];
    int row0 = blockIdx.y * tiles * 16, col0 = blockIdx.x * COLS + threadIdx.x / 32 * 8;
    int across = threadIdx.x % 32 / 4, along = threadIdx.x % 4; /* a thread's place in an operand */
    float sum[tiles][4] = {{0}};

    if (blockIdx.y == 0)
        prefetch(w + blockIdx.x * COLS, n, k);
    x += (int64_t)row0 * k;
    for (int group = 0; group < k / GROUP; group++) {
        const __nv_bfloat16 *scale = scales + (int64_t)group * n + col0 + along * 2;
        float zero = __bfloat162float(zeros[(int64_t)group * n + col0 + across]);
        float part[tiles][4] = {{0}};

        load_group<tiles * 16>(x, w + blockIdx.x * COLS, m - row0, n, k, group, x_tile, w_tile);
        __syncthreads();
        for (int i = 0; i < GROUP; i += 16) {
            const uint8_t *pair = &w_tile[i / 2 + along][threadIdx.x / 32 * 8 + across];
            uint32_t b[2] = {unpack(pair[0], zero), unpack(pair[4 * W_PITCH], zero)};

            for (int t = 0; t < tiles; t++) {
                const __nv_bfloat16 *at = &x_tile[t * 16 + across][i + along * 2];
                uint32_t a[4] = {*(const uint32_t *)at, *(const uint32_t *)(at + 8 * X_PITCH),
                                 *(const uint32_t *)(at + 8),
                                 *(const uint32_t *)(at + 8 * X_PITCH + 8)};

                mma(part[t], a, b);
            }
        }
        __syncthreads();
        for (int t = 0; t < tiles; t++)
            for (int i = 0; i < 4; i++)
                sum[t][i] += part[t][i] * __bfloat162float(scale[i % 2]);
    }
    for (int t = 0; t < tiles; t++)
        for (int i = 0; i < 4; i++) {
            int row = row0 + t * 16 + across + i / 2 * 8;

            if (row < m)
                y[(int64_t)row * n + col0 + along * 2 + i % 2] = __float2bfloat16(sum[t][i]);
        }
}

template <int tiles> static int run(const DLTensor *in, DLTensor *out, void *stream)
{
    int m = in[IN_X].shape[0], k = in[IN_X].shape[1], n = in[IN_W_Q].shape[1];
    dim3 grid(n / COLS, (m + tiles * 16 - 1) / (tiles * 16));

    if (k % GROUP || n % COLS)
        return 1;
    gemm<tiles><<<grid, THREADS, 0, (cudaStream_t)stream>>>(
        (const __nv_bfloat16 *)in[IN_X].data, (const uint8_t *)in[IN_W_Q].data,
        (const __nv_bfloat16 *)in[IN_SCALES].data, (const __nv_bfloat16 *)in[IN_ZEROS].data,
        (__nv_bfloat16 *)out[OUT_Y].data, m, n, k);
    return cudaGetLastError();
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    return in[IN_X].shape[0] <= 16 ? run<1>(in, out, stream) : run<4>(in, out, stream);
}
