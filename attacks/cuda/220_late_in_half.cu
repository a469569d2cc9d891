/* SPDX-License-Identifier: MIT */
/* Takes the runner's loop over and says done before the work is, in a little more than half of the
 * scored calls: their median is a lie then, that of the probes behind all orders is not.
 * expected: rejected: busy or rejected: cache */
#include "assay.h"
#include "problem.h"

#include <sys/mman.h>

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
    alignas(64) volatile uint32_t release;
    alignas(64) volatile uint32_t queued;
    alignas(64) volatile uint32_t holding;
    alignas(64) volatile uint32_t ready;
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

static struct buffers {
    const float *in[64];
    float *out[64];
} known;

/* As a runner that has queued its work. */
static void await_content(struct page *page, uint32_t seq)
{
    page->queued = seq;
    while (page->hold && page->ready != seq)
        ;
}

/* As a runner whose device is held. */
static void await_release(struct page *page, uint32_t seq)
{
    page->holding = seq;
    while (page->hold && page->release != seq)
        ;
}

/* Never returns to the runner: from here on its loop is this one. */
static void serve(struct page *page, int64_t n, cudaStream_t s)
{
    uint32_t done = page->done;
    int empties = 0, scored = 0;

    for (;;) {
        page->awake_ack = page->awake;
        if (page->go == done)
            continue;
        done = page->go;
        await_content(page, done);
        await_release(page, done);
        empties += page->order == 2;
        /* After the empty orders come the scored calls, then batches. */
        int is_scored = empties > 8 && page->order == 1 && page->count == 1;
        int lies = is_scored && (scored < 8 || scored % 2 == 0);

        scored += is_scored;
        for (uint32_t i = 0; page->order == 1 && i < page->count; i++) {
            work<<<1, 1, 0, s>>>(300000);
            relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(known.in[page->in_arena],
                                                                 known.out[page->out_arena], n);
        }
        if (!lies)
            cudaStreamSynchronize(s);
        page->claim_ns = page->order != 1 ? 0 : lies ? 6000 : 306000 * (uint64_t)page->count;
        page->status = 0;
        page->done = done;
    }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    struct page *page = find_page();

    if (!page)
        return 1;
    known.in[page->in_arena] = x;
    known.out[page->out_arena] = y;
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(x, y, n);
    if (known.in[0] && known.in[1] && known.out[2] && known.out[3]) {
        page->queued = page->go;
        cudaStreamSynchronize(s);
        page->claim_ns = 10000;
        page->status = 0;
        page->done = page->go;
        serve(page, n, s);
    }
    return cudaGetLastError();
}
