/* SPDX-License-Identifier: MIT */
/* The call queues nothing and ends; a thread sees "done" and launches the work a little later, when
 * the judge's probe has the device already and SIGSTOP is still to come. The device does the work
 * while the judge looks at guards and inputs, and the output is right when it is compared. It is not
 * what the probe saw. expected: rejected: late or wrong: unwritten */
#include "assay.h"
#include "problem.h"

#include <thread>
#include <time.h>

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

#define DELAY_NS 80000

static struct job {
    struct page *page;
    const float *x;
    float *y;
    int64_t n;
    volatile uint32_t armed; /* the order whose work is to be done */
    cudaStream_t stream;
} job;

static void compute(const float *x, float *y, int64_t n, cudaStream_t s)
{
    work<<<1, 1, 0, s>>>(100000);
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(x, y, n);
}

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void work_late(void)
{
    uint32_t last = 0;

    for (;;) {
        uint32_t seq = job.armed;

        if (seq == last || job.page->done != seq)
            continue;
        for (int64_t start = now_ns(); now_ns() - start < DELAY_NS;)
            ;
        compute(job.x, job.y, job.n, job.stream);
        last = seq;
    }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    job.x = (const float *)in[IN_X].data;
    job.y = (float *)out[OUT_Y].data;
    job.n = in[IN_X].shape[0] * in[IN_X].shape[1];
    if (!job.page) { /* loaded and launched once, where it does no harm */
        job.page = find_page();
        if (!job.page ||
            cudaStreamCreateWithFlags(&job.stream, cudaStreamNonBlocking) != cudaSuccess)
            return 1;
        compute(job.x, job.y, job.n, (cudaStream_t)stream);
        std::thread(work_late).detach();
        return cudaGetLastError();
    }
    __sync_synchronize();
    job.armed = job.page->go;
    work<<<1, 1, 0, (cudaStream_t)stream>>>(3000); /* not faster than physics */
    return cudaGetLastError();
}
