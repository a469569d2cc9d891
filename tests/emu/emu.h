/* SPDX-License-Identifier: MIT */
/* What CUDA spells differently from C++, so that kernels run on the CPU. Included before a .cuh
 * file; one thread of the device runs at a time (emu_driver.cpp). */
#ifndef TESTS_EMU_EMU_H
#define TESTS_EMU_EMU_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <utility>

#define __CUDACC__ 1
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__
#define __shared__ static /* blocks run one after the other */

struct emu_dim {
    unsigned x, y, z;
};
extern struct emu_dim threadIdx, blockIdx, blockDim, gridDim;

void __syncthreads();
/* Waits for the threads of the caller's group of `width`. */
void emu_sync_group(int width);

struct uint4 {
    unsigned x, y, z, w;
};

static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return {x, y, z, w};
}

template <class To, class From> static inline To emu_bits(From from)
{
    To to;

    static_assert(sizeof(to) == sizeof(from), "bits");
    memcpy(&to, &from, sizeof(to));
    return to;
}

static inline long long __double_as_longlong(double x)
{
    return emu_bits<long long>(x);
}

static inline double __longlong_as_double(long long x)
{
    return emu_bits<double>(x);
}

static inline unsigned __float_as_uint(float x)
{
    return emu_bits<unsigned>(x);
}

static inline float __uint_as_float(unsigned x)
{
    return emu_bits<float>(x);
}

static inline float __fmaf_rn(float x, float a, float b)
{
    return fmaf(x, a, b);
}

static inline double __fma_rn(double x, double a, double b)
{
    return fma(x, a, b);
}

static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}

static inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}

static inline void atomicMin(unsigned long long *at, unsigned long long value)
{
    if (value < *at)
        *at = value;
}

static inline void atomicAdd(unsigned *at, unsigned value)
{
    __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

static inline void atomicMax(unsigned *at, unsigned value)
{
    if (value > *at)
        *at = value;
}

extern double emu_exchange[];

static inline double __shfl_sync(unsigned, double value, int lane, int width)
{
    unsigned me = threadIdx.x;
    double got;

    emu_exchange[me] = value;
    emu_sync_group(width);
    got = emu_exchange[me / (unsigned)width * (unsigned)width + (unsigned)lane];
    emu_sync_group(width);
    return got;
}

/* ---- kernels by name ---- */

struct emu_kernel {
    const char *name;
    void (*call)(void **args); /* as cuLaunchKernel takes them */
};

template <class... A, size_t... I>
static inline void emu_apply(void (*kernel)(A...), void **args, std::index_sequence<I...>)
{
    kernel(*(std::decay_t<A> *)args[I]...);
}

template <class... A> static inline void emu_call(void (*kernel)(A...), void **args)
{
    emu_apply(kernel, args, std::index_sequence_for<A...>());
}

/* A pass that is compiled for what it does: the text that is to be handed over, and its kernel. */
struct emu_special {
    const char *name, *text;
    struct emu_kernel kernel;
};

#define EMU_KERNEL(name) {#name, [](void **args) { emu_call(name, args); }},

#endif
