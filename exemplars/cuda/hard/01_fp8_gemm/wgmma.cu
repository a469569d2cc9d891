/* SPDX-License-Identifier: MIT */
/* e4m3 products on the tensor cores of compute capability 9, where only wgmma multiplies fp8. A
 * block makes 128 x 128 outputs, 64 rows to a warpgroup. Slabs of 128 bytes of K go through shared
 * memory, four on their way at a time. The tensor cores keep about 14 bits while they add, so the
 * sum of each slab is added up in float outside. */
#include "assay.h"
#include "problem.h"

#include <cuda_bf16.h>

#define TILE 128
#define SLAB 128           /* bytes of K: a row of the swizzled layout */
#define PIECES (SLAB / 16) /* that move as one */
#define STEP 32            /* bytes of K to a wgmma */
#define STAGES 4
#define STAGE_BYTES (2 * TILE * SLAB)
#define PATTERN (8 * SLAB) /* the swizzle repeats every eight rows */
#define SHARED_BYTES (STAGES * STAGE_BYTES + PATTERN)
#define THREADS 256
#define WARPGROUP 128
#define SUMS (TILE / 2) /* 64 x 128 outputs on 128 threads */

static uint8_t *padded_x, *padded_w; /* where rows do not begin at multiples of 16 bytes */

/* ---- instructions ---- */

__device__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* 16 bytes into shared memory: those at `from`, or zeros. */
__device__ void copy_async(uint32_t to, const void *from, bool inside)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                 "r"(inside ? 16 : 0)
                 : "memory");
}

__device__ void copies_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* All groups but the last `n` have arrived, and the tensor cores will see it. */
template <int n> __device__ void copies_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* A tile for wgmma: rows of 128 bytes of K, eight to a pattern in which piece p of row r lies at
 * p ^ r % 8. */
__device__ uint64_t describe(uint32_t address)
{
    return (address >> 4 & 0x3fff) | 1ull << 16 | (uint64_t)(PATTERN >> 4) << 32 | 1ull << 62;
}

__device__ void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ void wgmma_finish()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#define EIGHT(d, i)                                                                             \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
        "+f"(d[i + 6]), "+f"(d[i + 7])

/* d (64 x 128) = a (64 x 32) times b (128 x 32) transposed, plus d if `add`. */
__device__ void wgmma(float (&d)[SUMS], uint64_t a, uint64_t b, int add)
{
    asm volatile(
        "{\n"
        ".reg .pred add;\n"
        "setp.ne.b32 add, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3\n"
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,\n"
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,\n"
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,\n"
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63},\n"
        "%64, %65, add, 1, 1;\n"
        "}"
        : EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24), EIGHT(d, 32), EIGHT(d, 40),
          EIGHT(d, 48), EIGHT(d, 56)
        : "l"(a), "l"(b), "r"(add));
}

/* ---- the kernel ---- */

/* 128 rows of one slab; zeros where there is no row. */
__device__ void load_tile(uint32_t to, const uint8_t *from, int row0, int rows, int64_t pitch)
{
    for (int i = threadIdx.x; i < TILE * PIECES; i += THREADS) {
        int row = i / PIECES, piece = i % PIECES;
        bool inside = row0 + row < rows;
        const uint8_t *at = inside ? from + (row0 + row) * pitch + piece * 16 : from;

        copy_async(to + row * SLAB + (piece ^ row % 8) * 16, at, inside);
    }
}

/* pitch: bytes from row to row of x and w, a multiple of the slab; zeros fill what is not data. */
__global__ void __launch_bounds__(THREADS, 1)
    gemm(const uint8_t *x, const uint8_t *w, const float *scale, __nv_bfloat16 *y, int rows,
         int cols, int pitch)
{
    extern __shared__ uint8_t shared[];
    uint32_t stages = (shared_address(shared) + PATTERN - 1) / PATTERN * PATTERN;
    int row0 = blockIdx.x * TILE, col0 = blockIdx.y * TILE, slabs = pitch / SLAB;
    int group = threadIdx.x / WARPGROUP, lane = threadIdx.x % 32;
    float part[SUMS] = {0}, sum[SUMS] = {0};

    auto load = [&](int slab) {
        uint32_t to = stages + slab % STAGES * STAGE_BYTES;

        if (slab < slabs) {
            load_tile(to, x + slab * SLAB, row0, rows, pitch);
            load_tile(to + TILE * SLAB, w + slab * SLAB, col0, cols, pitch);
        }
        copies_commit(); /* also an empty one: groups are counted */
    };

    for (int slab = 0; slab < STAGES - 1; slab++)
        load(slab);
    for (int slab = 0; slab < slabs; slab++) {
        uint32_t a = stages + slab % STAGES * STAGE_BYTES, b = a + TILE * SLAB;

        copies_wait<STAGES - 2>();
        __syncthreads();         /* all have their part of this slab, and are done with the last */
        load(slab + STAGES - 1); /* into the last one's place */
        a += group * 64 * SLAB;
        wgmma_fence();
        for (int k = 0; k < SLAB; k += STEP)
            wgmma(part, describe(a + k), describe(b + k), k > 0);
        wgmma_finish();
        for (int i = 0; i < SUMS; i++)
            sum[i] += part[i];
    }

    /* A warp has 16 rows, a thread two of them, 8 apart, and pairs of columns 8 apart. */
    int row = row0 + threadIdx.x / 32 * 16 + lane / 4;

    for (int i = 0; i < SUMS; i += 2) {
        int r = row + i / 2 % 2 * 8, c = col0 + i / 4 * 8 + lane % 4 * 2;

        if (r < rows && c < cols)
            *(__nv_bfloat162 *)&y[(int64_t)r * cols + c] =
                __floats2bfloat162_rn(sum[i] * scale[c], sum[i + 1] * scale[c + 1]);
    }
}

/* A row to a block: copied to where the pitch suits, with zeros behind it. */
__global__ void pad(const uint8_t *from, uint8_t *to, int depth, int pitch)
{
    from += (int64_t)blockIdx.x * depth;
    to += (int64_t)blockIdx.x * pitch;
    for (int i = threadIdx.x; i < pitch; i += THREADS)
        to[i] = i < depth ? from[i] : 0;
}

static int pitch_of(const DLTensor *x)
{
    return (x->shape[1] + SLAB - 1) / SLAB * SLAB;
}

int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int pitch = pitch_of(&in[IN_X]);

    cudaFree(padded_x);
    cudaFree(padded_w);
    padded_x = padded_w = NULL;
    if (pitch != in[IN_X].shape[1] &&
        (cudaMalloc(&padded_x, in[IN_X].shape[0] * pitch) != cudaSuccess ||
         cudaMalloc(&padded_w, in[IN_W].shape[0] * pitch) != cudaSuccess))
        return 1;
    return cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int rows = in[IN_X].shape[0], depth = in[IN_X].shape[1], cols = in[IN_W].shape[0];
    int pitch = pitch_of(&in[IN_X]);
    const uint8_t *x = (const uint8_t *)in[IN_X].data, *w = (const uint8_t *)in[IN_W].data;
    dim3 grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE);
    cudaStream_t s = (cudaStream_t)stream;

    if (cols % 2)
        return 1; /* outputs are written in pairs */
    if (pitch != depth) {
        pad<<<rows, THREADS, 0, s>>>(x, padded_x, depth, pitch);
        pad<<<cols, THREADS, 0, s>>>(w, padded_w, depth, pitch);
        x = padded_x;
        w = padded_w;
    }
    gemm<<<grid, THREADS, SHARED_BYTES, s>>>(x, w, (const float *)in[IN_SCALE].data,
                                             (__nv_bfloat16 *)out[OUT_Y].data, rows, cols, pitch);
    return cudaGetLastError();
}
