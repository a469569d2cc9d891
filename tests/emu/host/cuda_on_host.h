/* SPDX-License-Identifier: MIT */
/*
 * What a .cu exemplar needs of CUDA to run on a CPU, for cuda_on_host (beside this), which rewrites
 * launches and leaves out functions that are inline PTX: their meaning is at the end.
 *
 * A thread of the device is a fiber; one runs at a time, to its next barrier, and blocks run one
 * after the other. So a barrier that is missing shows as stale data: thread 0 is always ahead.
 * Copies into shared memory happen as late as they may, when they are waited for. Only libc is
 * used: the result is assembler text in a candidate for the CPU.
 */
#ifndef TESTS_EMU_HOST_CUDA_ON_HOST_H
#define TESTS_EMU_HOST_CUDA_ON_HOST_H

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define __device__
#define __global__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static /* blocks run one after the other */

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z)
    {
    }
};

static dim3 threadIdx(0), blockIdx(0), blockDim(1), gridDim(1);

struct float2 {
    float x, y;
};
struct uint2 {
    unsigned x, y;
};
struct uint4 {
    unsigned x, y, z, w;
};

static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return {x, y, z, w};
}

static inline uint32_t __float_as_uint(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

static inline float __uint_as_float(uint32_t bits)
{
    float v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

static inline int min(int a, int b)
{
    return a < b ? a : b;
}

template <class T, class V> static T atomicAdd(T *at, V value)
{
    T old = *at;

    *at += value;
    return old;
}

/* ---- fibers ---- */

#define EMU_MAX_THREADS 1024
#define EMU_STACK_BYTES (64 << 10)
#define EMU_SHARED_BYTES (227 << 10)
#define EMU_SHARED_BASE 16 /* shared memory begins where no pattern does */
#define EMU_COPIES 128

struct emu_copy {
    uint32_t to;
    const void *from;
    int group;
};

struct emu_thread {
    ucontext_t entry;
    jmp_buf at;
    bool started, done;
    int group, n_copies; /* asynchronous copies */
    struct emu_copy copies[EMU_COPIES];
};

static struct emu_thread *emu_threads;
static char *emu_stacks, *emu_shared;
static jmp_buf emu_scheduler;
static void (*emu_run)(void *);
static void *emu_context;
static size_t emu_shared_bytes;
static struct {
    int arrived;
    unsigned generation;
} emu_barriers[1 + EMU_MAX_THREADS / 32]; /* the block's, then the warps' */
static float emu_exchange[EMU_MAX_THREADS];

static inline void emu_yield()
{
    if (!_setjmp(emu_threads[threadIdx.x].at))
        _longjmp(emu_scheduler, 1);
}

static inline void emu_barrier(int which, int width)
{
    unsigned generation = emu_barriers[which].generation;

    if (++emu_barriers[which].arrived == width) {
        emu_barriers[which].arrived = 0;
        emu_barriers[which].generation++;
    }
    while (emu_barriers[which].generation == generation)
        emu_yield();
}

static inline void __syncthreads()
{
    emu_barrier(0, (int)blockDim.x);
}

static inline void emu_sync_warp()
{
    int rest = (int)(blockDim.x - threadIdx.x / 32 * 32);

    emu_barrier(1 + (int)threadIdx.x / 32, rest < 32 ? rest : 32);
}

static inline float __shfl_xor_sync(unsigned, float value, int mask)
{
    float got;

    emu_exchange[threadIdx.x] = value;
    emu_sync_warp();
    got = emu_exchange[threadIdx.x ^ (unsigned)mask];
    emu_sync_warp();
    return got;
}

static void emu_main()
{
    emu_run(emu_context);
    emu_threads[threadIdx.x].done = true;
    _longjmp(emu_scheduler, 1);
}

static inline void emu_resume(struct emu_thread *t)
{
    if (t->started)
        _longjmp(t->at, 1);
    t->started = true;
    getcontext(&t->entry);
    t->entry.uc_stack.ss_sp = emu_stacks + (t - emu_threads) * EMU_STACK_BYTES;
    t->entry.uc_stack.ss_size = EMU_STACK_BYTES;
    makecontext(&t->entry, emu_main, 0);
    setcontext(&t->entry);
}

static void emu_block()
{
    static volatile unsigned i, left; /* survive the jumps */

    for (i = 0; i < blockDim.x; i++) {
        emu_threads[i].started = emu_threads[i].done = false;
        emu_threads[i].group = emu_threads[i].n_copies = 0;
    }
    memset(emu_barriers, 0, sizeof(emu_barriers));
    memset(emu_shared, 0xff, EMU_SHARED_BYTES); /* NaN in every format */
    do {
        left = 0;
        for (i = 0; i < blockDim.x; i++) {
            if (emu_threads[i].done)
                continue;
            left++;
            threadIdx.x = i;
            if (!_setjmp(emu_scheduler))
                emu_resume(&emu_threads[i]);
        }
    } while (left);
}

typedef void *cudaStream_t;

template <class F>
static void emu_launch(F run, dim3 grid, dim3 block, size_t shared_bytes = 0, void * = nullptr)
{
    if (block.x > EMU_MAX_THREADS || block.y * block.z != 1 || shared_bytes > EMU_SHARED_BYTES)
        abort();
    if (!emu_threads) {
        emu_threads = (struct emu_thread *)malloc(EMU_MAX_THREADS * sizeof(*emu_threads));
        emu_stacks = (char *)malloc((size_t)EMU_MAX_THREADS * EMU_STACK_BYTES);
        emu_shared = (char *)aligned_alloc(1024, EMU_SHARED_BYTES);
    }
    emu_shared_bytes = shared_bytes;
    emu_context = &run;
    emu_run = [](void *f) { (*(F *)f)(); };
    gridDim = grid;
    blockDim = block;
    for (blockIdx.z = 0; blockIdx.z < grid.z; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++)
                emu_block();
    emu_context = nullptr;
}

/* ---- the runtime ---- */

#define cudaSuccess 0
#define cudaFuncAttributeMaxDynamicSharedMemorySize 8

template <class T> static int cudaMalloc(T **ret, size_t bytes)
{
    *ret = (T *)malloc(bytes);
    return *ret ? cudaSuccess : 2;
}

static inline int cudaFree(void *p)
{
    free(p);
    return cudaSuccess;
}

static inline int cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t)
{
    memset(p, value, bytes);
    return cudaSuccess;
}

static inline int cudaGetLastError()
{
    return cudaSuccess;
}

template <class F> static int cudaFuncSetAttribute(F, int, size_t bytes)
{
    return bytes <= EMU_SHARED_BYTES ? cudaSuccess : 1;
}

/* ---- what the exemplars have in PTX ---- */

static inline size_t __cvta_generic_to_shared(const void *p)
{
    return EMU_SHARED_BASE + (size_t)((const char *)p - emu_shared);
}

static inline char *emu_at(uint32_t address, size_t bytes)
{
    if (address < EMU_SHARED_BASE || address + bytes > EMU_SHARED_BASE + emu_shared_bytes)
        abort();
    return emu_shared + (address - EMU_SHARED_BASE);
}

static inline void copy_async(uint32_t to, const void *from, bool inside)
{
    struct emu_thread *t = &emu_threads[threadIdx.x];

    if (t->n_copies == EMU_COPIES || to % 16 || (inside && (uintptr_t)from % 16))
        abort();
    t->copies[t->n_copies++] = {to, inside ? from : nullptr, t->group};
}

static inline void copies_commit()
{
    emu_threads[threadIdx.x].group++;
}

template <int n> static void copies_wait()
{
    struct emu_thread *t = &emu_threads[threadIdx.x];
    int left = 0;

    for (int i = 0; i < t->n_copies; i++) {
        struct emu_copy *c = &t->copies[i];

        if (c->group >= t->group - n)
            t->copies[left++] = *c;
        else if (c->from)
            memcpy(emu_at(c->to, 16), c->from, 16);
        else
            memset(emu_at(c->to, 16), 0, 16);
    }
    t->n_copies = left;
}

static inline void wgmma_fence()
{
}
static inline void wgmma_finish()
{
}

/* A matrix descriptor's fields, in bytes. Only the swizzle of 128 bytes is known here. */
struct emu_matrix {
    uint32_t start, leading, stride;
};

static inline struct emu_matrix emu_describe(uint64_t d)
{
    if (d >> 62 != 1 || (d >> 49 & 7))
        abort();
    return {(uint32_t)(d & 0x3fff) << 4, (uint32_t)(d >> 16 & 0x3fff) << 4,
            (uint32_t)(d >> 32 & 0x3fff) << 4};
}

/* Bits 4 to 6 of an address are swizzled by bits 7 to 9. */
static inline const char *emu_swizzled(uint32_t address, size_t bytes)
{
    return emu_at(address ^ (address >> 7 & 7) << 4, bytes);
}

/* Row r, byte k: eight rows of 128 bytes, the next eight `stride` on. */
static inline const char *emu_along_k(struct emu_matrix m, int r, int k, size_t bytes)
{
    return emu_swizzled(m.start + r / 8 * m.stride + r % 8 * 128 + k, bytes);
}

/* Number k of K, column n, two bytes each: 64 columns to a row, the next 64 `leading` on; eight k
 * to a pattern, the next eight `stride` on. */
static inline const char *emu_across_k(struct emu_matrix m, int k, int n)
{
    return emu_swizzled(m.start + n / 64 * m.leading + n % 64 * 2 + k / 8 * m.stride + k % 8 * 128,
                        2);
}

/* Sign, four bits of exponent (bias 7), three of mantissa; no infinity. */
static inline float emu_e4m3(const char *at)
{
    int bits = *(const uint8_t *)at, exponent = bits >> 3 & 15, mantissa = bits & 7;
    float v = exponent ? ldexpf((float)(8 + mantissa), exponent - 10) : ldexpf((float)mantissa, -9);

    return (bits & 127) == 127 ? NAN : bits & 128 ? -v : v;
}

static inline float emu_bf16(const char *at)
{
    return __uint_as_float((uint32_t) * (const uint16_t *)at << 16);
}

/* Output i of a thread, of 64 rows: where it lies. */
static inline int emu_row(int i)
{
    return (int)threadIdx.x % 128 / 32 * 16 + (int)threadIdx.x % 32 / 4 + i / 2 % 2 * 8;
}

static inline int emu_col(int i)
{
    return i / 4 * 8 + (int)threadIdx.x % 4 * 2 + i % 2;
}

/* m64n128k32, e4m3, both along K. */
static inline void wgmma(float (&d)[64], uint64_t a, uint64_t b, int add)
{
    struct emu_matrix x = emu_describe(a), w = emu_describe(b);
    static float value[256];

    for (int i = 0; i < 256 && !value[1]; i++) {
        char c = (char)(255 - i);

        value[255 - i] = emu_e4m3(&c);
    }
    for (int i = 0; i < 64; i++) {
        float sum = add ? d[i] : 0;

        for (int k = 0; k < 32; k++)
            sum += value[*(const uint8_t *)emu_along_k(x, emu_row(i), k, 1)] *
                   value[*(const uint8_t *)emu_along_k(w, emu_col(i), k, 1)];
        d[i] = sum;
    }
}

/* m64n128k16, bf16, a along K and b across it. */
static inline void wgmma(float (&d)[64], uint64_t a, uint64_t b)
{
    struct emu_matrix x = emu_describe(a), w = emu_describe(b);

    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 16; k++)
            d[i] += emu_bf16(emu_along_k(x, emu_row(i), 2 * k, 2)) *
                    emu_bf16(emu_across_k(w, k, emu_col(i)));
}

/* m16n8k16, bf16: what a lane holds of a and b, and what it gets of d. */
static inline void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    static uint32_t all_a[EMU_MAX_THREADS][4], all_b[EMU_MAX_THREADS][2];
    int warp = (int)threadIdx.x / 32 * 32, lane = (int)threadIdx.x % 32;

    memcpy(all_a[threadIdx.x], a, sizeof(a));
    memcpy(all_b[threadIdx.x], b, sizeof(b));
    emu_sync_warp();
    for (int i = 0; i < 4; i++) {
        int row = lane / 4 + i / 2 * 8, col = lane % 4 * 2 + i % 2;

        for (int k = 0; k < 16; k++) {
            uint32_t x = all_a[warp + row % 8 * 4 + k / 2 % 4][row / 8 + k / 8 * 2];
            uint32_t w = all_b[warp + col * 4 + k / 2 % 4][k / 8];
            int shift = k % 2 * 16;

            d[i] += __uint_as_float(x >> shift << 16) * __uint_as_float(w >> shift << 16);
        }
    }
    emu_sync_warp();
}

/* A hint, without a cache to give it to. */
static inline void prefetch_line(const uint8_t *at)
{
    (void)at;
}

#endif
