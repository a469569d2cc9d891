/* SPDX-License-Identifier: MIT */
/* A thread of the host writes a time of its own choosing where the runner states how long a call
 * took. expected: rejected: clock */
#include "assay.h"
#include "problem.h"

#include <atomic>
#include <sys/mman.h>
#include <thread>

#define THREADS 256

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

/* The honest work, made long enough to be seen. */
__global__ void work(unsigned long long nanoseconds)
{
    unsigned long long start, now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < nanoseconds);
}

/* The page that judge and runner share, as its first words look during a call. */
struct page {
    alignas(64) volatile uint32_t go;
    volatile uint32_t order, in_arena, out_arena, count, hold;
    alignas(64) volatile uint32_t done;
    volatile int32_t status;
    volatile uint64_t claim_ns;
    char error[112];
    alignas(64) volatile uint32_t awake;
    alignas(64) volatile uint32_t awake_ack;
};

static int is_page(uintptr_t address)
{
    struct page *p = (struct page *)address;
    unsigned char resident;

    if (address < 65536 || address % 4096 || mincore(p, 4096, &resident) < 0 || !resident)
        return 0;
    return p->go > 0 && p->order == 1 && p->in_arena < 64 && p->out_arena < 64 && p->count > 0 &&
           p->done == p->go - 1 && p->awake == p->awake_ack;
}

/* Its address is in one of the frames above ours. */
static struct page *find_page(void)
{
    const uintptr_t *frame = (const uintptr_t *)__builtin_frame_address(0);

    for (int i = 0; i < 512; i++)
        if (is_page(frame[i]))
            return (struct page *)frame[i];
    return NULL;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    static struct page *page;

    if (!page) {
        page = find_page();
        if (!page)
            return 1;
        std::thread([] {
            for (;;)
                page->claim_ns = 5000;
        }).detach();
    }
    work<<<1, 1, 0, s>>>(300000);
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(x, y, n);
    return cudaGetLastError();
}
