/* SPDX-License-Identifier: MIT */
/* Peaks of a CPU, measured: no datasheet states them for the few cores that a virtual machine was
 * given. The loops run on the cores that candidates get, with as many threads as cores. The best of
 * several rounds counts: a peak is what the machine can do when nothing disturbs it. */
#include "hardware/calibration.h"

#include "base/clock.h"

#include <immintrin.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 15
#define LANES 12 /* independent chains: latency 4, two units, and some to spare */
#define FMA_STEPS 200000
#define MEMORY_MIN ((size_t)128 << 20)
#define MEMORY_MAX ((size_t)1 << 30)

/* x = x * a + b in LANES vector registers; the sum is returned so that nothing is optimised away.
 */
#define FMA_LOOP(name, isa, scalar, vec, set1, fma)                       \
    __attribute__((target(isa))) static double name(long steps)           \
    {                                                                     \
        vec x[LANES], a = set1((scalar)0.999999), b = set1((scalar)1e-6); \
        double sum = 0;                                                   \
                                                                          \
        for (int i = 0; i < LANES; i++)                                   \
            x[i] = set1((scalar)i);                                       \
        for (long s = 0; s < steps; s++)                                  \
            for (int i = 0; i < LANES; i++)                               \
                x[i] = fma(x[i], a, b);                                   \
        for (int i = 0; i < LANES; i++)                                   \
            sum += (double)((scalar *)&x[i])[0];                          \
        return sum;                                                       \
    }

#define SSE_FMA_PS(x, a, b) _mm_add_ps(_mm_mul_ps(x, a), b)
#define SSE_FMA_PD(x, a, b) _mm_add_pd(_mm_mul_pd(x, a), b)
FMA_LOOP(fma_f32_avx512, "avx512f", float, __m512, _mm512_set1_ps, _mm512_fmadd_ps)
FMA_LOOP(fma_f64_avx512, "avx512f", double, __m512d, _mm512_set1_pd, _mm512_fmadd_pd)
FMA_LOOP(fma_f32_avx2, "avx2,fma", float, __m256, _mm256_set1_ps, _mm256_fmadd_ps)
FMA_LOOP(fma_f64_avx2, "avx2,fma", double, __m256d, _mm256_set1_pd, _mm256_fmadd_pd)
FMA_LOOP(fma_f32_sse2, "sse2", float, __m128, _mm_set1_ps, SSE_FMA_PS)
FMA_LOOP(fma_f64_sse2, "sse2", double, __m128d, _mm_set1_pd, SSE_FMA_PD)

struct fma_kernel {
    double (*f32)(long), (*f64)(long);
    int bytes;
};

static struct fma_kernel best_kernel(void)
{
    if (__builtin_cpu_supports("avx512f"))
        return (struct fma_kernel){fma_f32_avx512, fma_f64_avx512, 64};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (struct fma_kernel){fma_f32_avx2, fma_f64_avx2, 32};
    return (struct fma_kernel){fma_f32_sse2, fma_f64_sse2, 16};
}

static double fma_rate(double (*loop)(long), int lanes_per_vector, int threads)
{
    volatile double sink = 0;
    double best = 0;

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t start = clock_ns();
        double sum = 0;

#pragma omp parallel num_threads(threads) reduction(+ : sum)
        sum += loop(FMA_STEPS);

        double flops = 2.0 * FMA_STEPS * LANES * lanes_per_vector * threads;

        best = fmax(best, flops / (double)(clock_ns() - start) * 1e9);
        sink = sink + sum;
    }
    return best;
}

/* Four streams side by side: enough lines in flight to be bound by memory, not by latency. */
static uint64_t read_all(const uint64_t *data, size_t words)
{
    size_t part = words / 4 / 8 * 8;
    uint64_t sum[8] = {0};

    for (size_t i = 0; i < part; i += 8)
        for (size_t stream = 0; stream < 4; stream++)
            for (size_t k = 0; k < 8; k++)
                sum[k] += data[stream * part + i + k];
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

static void memory_rates(char *data, size_t bytes, int threads, struct calibration *ret)
{
    size_t half = bytes / 2 / (size_t)threads / 64 * 64;
    volatile uint64_t sink = 0;

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t start = clock_ns(), sum = 0;

#pragma omp parallel num_threads(threads) reduction(+ : sum)
        sum += read_all((uint64_t *)(void *)(data + 2 * half * (size_t)omp_get_thread_num()),
                        half / 4);

        double moved = 2.0 * (double)half * threads;

        ret->read_bytes_s = fmax(ret->read_bytes_s, moved / (double)(clock_ns() - start) * 1e9);
        sink = sink + sum;
        start = clock_ns();
#pragma omp parallel num_threads(threads)
        {
            char *own = data + 2 * half * (size_t)omp_get_thread_num();

            memcpy(own, own + half, half);
        }
        ret->copy_bytes_s = fmax(ret->copy_bytes_s, moved / (double)(clock_ns() - start) * 1e9);
    }
}

int calibrate_cpu(const cpu_set_t *cpus, int64_t cache_bytes, struct calibration *ret,
                  struct err *err)
{
    size_t bytes = MIN(MAX((size_t)cache_bytes * 4, MEMORY_MIN), MEMORY_MAX);
    int threads = MAX(CPU_COUNT(cpus), 1);
    AUTO(freep) char *data = try_alloc(bytes);
    struct fma_kernel kernel = best_kernel();
    cpu_set_t saved;

    if (!data)
        return fail(err, ERR_SYSTEM, "not enough memory to calibrate: needs %zu MiB", bytes >> 20);
    memset(data, 1, bytes);
    sched_getaffinity(0, sizeof(saved), &saved);
    /* Threads that exist keep their cores. So new ones are made, which inherit ours. */
    omp_pause_resource_all(omp_pause_soft);
    sched_setaffinity(0, sizeof(*cpus), cpus);
    ret->flops_s[ARITH_FP32] = fma_rate(kernel.f32, kernel.bytes / 4, threads);
    ret->flops_s[ARITH_FP64] = fma_rate(kernel.f64, kernel.bytes / 8, threads);
    memory_rates(data, bytes, threads, ret);
    omp_pause_resource_all(omp_pause_soft);
    sched_setaffinity(0, sizeof(saved), &saved);
    return 0;
}
