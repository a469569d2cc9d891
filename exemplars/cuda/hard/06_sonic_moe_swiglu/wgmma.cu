/* SPDX-License-Identifier: MIT */
/* Both products of a tile in one block, so that SwiGLU needs no scratch memory: 128 rows of one
 * expert by 128 columns of gate and of up, 64 rows to a warpgroup, on the tensor cores (wgmma).
 * Slabs of 64 of K go through shared memory, four on their way at a time. Where each tile lies is
 * worked out on the device, where the offsets are. */
#include "assay.h"
#include "problem.h"

#include <cuda_bf16.h>

#define TILE 128
#define SLAB 64 /* numbers of K: 128 bytes, a row of the swizzled layout */
#define ROW_BYTES 128
#define PIECE 8 /* numbers that move as one, 16 bytes */
#define STEP 16 /* numbers of K to a wgmma */
#define STAGES 4
#define TILE_BYTES (TILE * SLAB * 2)
#define STAGE_BYTES (3 * TILE_BYTES) /* x, gate, up */
#define PATTERN (8 * ROW_BYTES)      /* the swizzle repeats every eight rows */
#define SHARED_BYTES (STAGES * STAGE_BYTES + PATTERN)
#define THREADS 256
#define WARPGROUP 128
#define SUMS (TILE / 2) /* 64 x 128 outputs on 128 threads */
#define MAX_EXPERTS 1024

struct place {
    int expert, row, end; /* the tile's first row and the one behind the expert's last */
};

static struct place *places; /* of all tiles; those that are not needed have expert -1 */

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

/* A tile for wgmma: rows of 128 bytes, eight to a pattern in which piece p of row r lies at
 * p ^ r % 8. Rows of x are along K. Rows of a weight are one number of K each and have 64 columns;
 * `next` bytes on are the next 64. */
__device__ uint64_t describe(uint32_t address, int next)
{
    return (address >> 4 & 0x3fff) | (uint64_t)(next >> 4) << 16 | (uint64_t)(PATTERN >> 4) << 32 |
           1ull << 62;
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

/* d (64 x 128) += a (64 x 16, rows along K) times b (16 x 128, rows along the columns). */
__device__ void wgmma(float (&d)[SUMS], uint64_t a, uint64_t b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16\n"
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,\n"
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,\n"
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,\n"
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63},\n"
        "%64, %65, 1, 1, 1, 0, 1;\n"
        : EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24), EIGHT(d, 32), EIGHT(d, 40),
          EIGHT(d, 48), EIGHT(d, 56)
        : "l"(a), "l"(b));
}

/* ---- kernels ---- */

/* An expert to a thread. The last ones' tiles end before n: nobody needs the rest. */
__global__ void plan(const int32_t *offsets, struct place *places, int n)
{
    int expert = threadIdx.x, at = 0;

    for (int e = 0; e < expert; e++)
        at += (offsets[e + 1] - offsets[e] + TILE - 1) / TILE;
    for (int row = offsets[expert]; row < offsets[expert + 1]; row += TILE)
        places[at++] = {expert, row, offsets[expert + 1]};
    if (expert + 1 == (int)blockDim.x)
        while (at < n)
            places[at++] = {-1, 0, 0};
}

/* 128 rows of x and 64 of K from k0 on; zeros where there are none. */
__device__ void load_rows(uint32_t to, const __nv_bfloat16 *x, int row0, int end, int k0, int depth)
{
    for (int i = threadIdx.x; i < TILE * SLAB / PIECE; i += THREADS) {
        int row = i / (SLAB / PIECE), piece = i % (SLAB / PIECE), k = k0 + piece * PIECE;
        bool inside = row0 + row < end && k < depth;
        const __nv_bfloat16 *from = inside ? x + (int64_t)(row0 + row) * depth + k : x;

        copy_async(to + row * ROW_BYTES + (piece ^ row % 8) * 16, from, inside);
    }
}

/* 64 rows of K and 128 columns of a weight, in two halves of 64 columns. */
__device__ void load_weight(uint32_t to, const __nv_bfloat16 *w, int k0, int depth, int col0,
                            int width)
{
    for (int i = threadIdx.x; i < SLAB * TILE / PIECE; i += THREADS) {
        int row = i / (TILE / PIECE), half = i / 8 % 2, piece = i % 8;
        int col = col0 + half * 64 + piece * PIECE;
        bool inside = k0 + row < depth && col < width;
        const __nv_bfloat16 *from = inside ? w + (int64_t)(k0 + row) * width + col : w;

        copy_async(to + half * (TILE_BYTES / 2) + row * ROW_BYTES + (piece ^ row % 8) * 16, from,
                   inside);
    }
}

__device__ float swiglu(float gate, float up)
{
    return gate / (1 + expf(-gate)) * up;
}

__global__ void __launch_bounds__(THREADS, 1)
    moe(const __nv_bfloat16 *x, const __nv_bfloat16 *w_gate, const __nv_bfloat16 *w_up,
        const struct place *places, __nv_bfloat16 *y, int depth, int width)
{
    extern __shared__ uint8_t shared[];
    uint32_t stages = (shared_address(shared) + PATTERN - 1) / PATTERN * PATTERN;
    struct place place = places[blockIdx.y];
    int col0 = blockIdx.x * TILE, slabs = (depth + SLAB - 1) / SLAB;
    int group = threadIdx.x / WARPGROUP, lane = threadIdx.x % 32;
    float gate[SUMS] = {0}, up[SUMS] = {0};

    if (place.expert < 0)
        return;
    w_gate += (int64_t)place.expert * depth * width;
    w_up += (int64_t)place.expert * depth * width;

    auto load = [&](int slab) {
        uint32_t to = stages + slab % STAGES * STAGE_BYTES;

        if (slab < slabs) {
            load_rows(to, x, place.row, place.end, slab * SLAB, depth);
            load_weight(to + TILE_BYTES, w_gate, slab * SLAB, depth, col0, width);
            load_weight(to + 2 * TILE_BYTES, w_up, slab * SLAB, depth, col0, width);
        }
        copies_commit(); /* also an empty one: groups are counted */
    };

    for (int slab = 0; slab < STAGES - 1; slab++)
        load(slab);
    for (int slab = 0; slab < slabs; slab++) {
        uint32_t a = stages + slab % STAGES * STAGE_BYTES, b = a + TILE_BYTES;

        copies_wait<STAGES - 2>();
        __syncthreads();         /* all have their part of this slab, and are done with the last */
        load(slab + STAGES - 1); /* into the last one's place */
        a += group * 64 * ROW_BYTES;
        wgmma_fence();
        for (int k = 0; k < SLAB; k += STEP) {
            uint64_t rows = describe(a + k * 2, 16);

            wgmma(gate, rows, describe(b + k * ROW_BYTES, TILE_BYTES / 2));
            wgmma(up, rows, describe(b + TILE_BYTES + k * ROW_BYTES, TILE_BYTES / 2));
        }
        wgmma_finish();
    }

    /* A warp has 16 rows, a thread two of them, 8 apart, and pairs of columns 8 apart. */
    int row = place.row + threadIdx.x / 32 * 16 + lane / 4;

    for (int i = 0; i < SUMS; i += 2) {
        int r = row + i / 2 % 2 * 8, c = col0 + i / 4 * 8 + lane % 4 * 2;

        if (r < place.end && c < width)
            *(__nv_bfloat162 *)&y[(int64_t)r * width + c] =
                __floats2bfloat162_rn(swiglu(gate[i], up[i]), swiglu(gate[i + 1], up[i + 1]));
    }
}

/* At most: every expert may have one tile that is not full. */
static int tiles_of(const DLTensor *in)
{
    return in[IN_HIDDEN].shape[0] / TILE + in[IN_W_GATE].shape[0];
}

int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    cudaFree(places);
    places = NULL;
    if (cudaMalloc(&places, tiles_of(in) * sizeof(*places)) != cudaSuccess)
        return 1;
    return cudaFuncSetAttribute(moe, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int experts = in[IN_W_GATE].shape[0], depth = in[IN_W_GATE].shape[1];
    int width = in[IN_W_GATE].shape[2];
    dim3 grid((width + TILE - 1) / TILE, tiles_of(in));
    cudaStream_t s = (cudaStream_t)stream;

    if (experts > MAX_EXPERTS || depth % PIECE || width % PIECE)
        return 1;
    plan<<<1, experts, 0, s>>>((const int32_t *)in[IN_EXPERT_OFFSETS].data, places, grid.y);
    moe<<<grid, THREADS, SHARED_BYTES, s>>>((const __nv_bfloat16 *)in[IN_HIDDEN].data,
                                            (const __nv_bfloat16 *)in[IN_W_GATE].data,
                                            (const __nv_bfloat16 *)in[IN_W_UP].data, places,
                                            (__nv_bfloat16 *)out[OUT_Y].data, depth, width);
    return cudaGetLastError();
}
