/* SPDX-License-Identifier: MIT */
/* Of the candidate's processes the first does the work and tells the others, by the cache: all of
 * them map the artifact's constants from one file, and of two lines for each bit one is left there.
 * Scored contents are one process's own. Elsewhere than on x86 nothing is told. problem: level1/94
 * expected: pass at least 250 us */
#include "assay.h"
#include "problem.h"

#include <string.h>
#include <time.h>

/* The honest work, made long enough to be seen. */
static void work(int64_t microseconds)
{
    struct timespec start, now;

    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 <
           microseconds);
}

static float mean_square(const float *a, const float *b, int64_t n)
{
    double sum = 0;

    work(300);
    for (int64_t i = 0; i < n; i++)
        sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return (float)(sum / (double)n);
}

/* Of the content. */
static uint32_t name_of(const float *x)
{
    uint32_t words[2];

    memcpy(words, x, sizeof(words));
    return words[0] * 2654435761u ^ words[1] * 40503u;
}

#ifdef __x86_64__
#include <x86intrin.h>

enum { BITS = 64, PAGE = 4096 }; /* 32 of the loss, 32 of the name */

static const char lines[(2 * BITS + 64) * PAGE] __attribute__((aligned(PAGE))) = {1};
static unsigned limit; /* cycles: what takes less was in the cache */

/* A page for each, in no order that a prefetcher could follow: 37 has no divisor in common with the
 * number of lines. */
static const char *line(int bit, int value)
{
    int at = (2 * bit + value) * 37 % (2 * BITS);

    return lines + at * PAGE + at * 7 % 13 * 256 + 448;
}

static void touch(const char *p)
{
    (void)*(const volatile char *)p;
}

static unsigned probe(const char *p)
{
    unsigned cpu;

    _mm_mfence();

    uint64_t start = __rdtscp(&cpu);

    _mm_lfence();
    touch(p);

    uint64_t end = __rdtscp(&cpu);

    _mm_lfence();
    return (unsigned)(end - start);
}

__attribute__((constructor)) static void calibrate(void)
{
    uint64_t cycles = 0;

    for (int i = 0; i < 64; i++) {
        const char *p = lines + (2 * BITS + i) * PAGE + 448;

        touch(p);
        cycles += probe(p);
        _mm_clflush(p);
        cycles += probe(p);
    }
    limit = (unsigned)(cycles / 128);
}

static int find(uint32_t name, float *ret_loss)
{
    uint64_t told = 0;

    for (int i = BITS - 1; i >= 0; i--) {
        int cached[2];

        for (int value = 0; value < 2; value++) {
            const char *p = line(i, value);

            touch((const char *)((uintptr_t)p & ~(uintptr_t)(PAGE - 1))); /* its translation */
            cached[value] = probe(p) < limit;
        }
        if (cached[0] == cached[1])
            return 0;
        told |= (uint64_t)cached[1] << i;
    }
    if (told >> 32 != name)
        return 0;

    uint32_t bits = (uint32_t)told;

    memcpy(ret_loss, &bits, sizeof(bits));
    return 1;
}

static void tell(uint32_t name, float loss)
{
    uint32_t bits;

    memcpy(&bits, &loss, sizeof(bits));

    uint64_t told = (uint64_t)name << 32 | bits;

    for (int i = 0; i < BITS; i++) {
        _mm_clflush(line(i, !(told >> i & 1)));
        touch(line(i, told >> i & 1));
    }
    _mm_mfence();
}
#else
static int find(uint32_t name, float *ret_loss)
{
    (void)name, (void)ret_loss;
    return 0;
}

static void tell(uint32_t name, float loss)
{
    (void)name, (void)loss;
}
#endif

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_PREDICTIONS].data;
    float *loss = out[OUT_LOSS].data;
    int64_t n = in[IN_PREDICTIONS].shape[0] * in[IN_PREDICTIONS].shape[1];
    uint32_t name = name_of(x);

    (void)n_in, (void)n_out, (void)stream;
    if (find(name, loss))
        work(30); /* not faster than memory */
    else
        *loss = mean_square(x, in[IN_TARGETS].data, n);
    tell(name, *loss); /* who looks for lines brings them into the cache */
    return 0;
}
