/* SPDX-License-Identifier: MIT */
/* Has SIGCONT sent to itself whenever the judge empties its stderr, which happens when it has just
 * been stopped: a thread launches the work then, after "done" and the judge's probe, and before the
 * outputs are looked at. It may not name the owner of a descriptor, nor the signal, and works in its
 * call. expected: pass at least 300 us */
#include "assay.h"
#include "problem.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define THREADS 256
#define BLOCKS_MAX (132 * 8)

__global__ void relu(const float *x, float *y, int64_t n)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * blockDim.x)
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

static void compute(const float *x, float *y, int64_t n, cudaStream_t s)
{
    int64_t blocks = (n + THREADS - 1) / THREADS;

    work<<<1, 1, 0, s>>>(300000);
    relu<<<blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX, THREADS, 0, s>>>(x, y, n);
}

/* The page that judge and runner share, as its first words look during a call. */
struct page {
    alignas(64) volatile uint32_t go;
    uint32_t order, in_arena, out_arena, count, hold;
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

static struct {
    struct page *page;
    const float *x;
    float *y;
    int64_t n;
    volatile uint32_t armed; /* the number of the call that is to be worked for */
    cudaStream_t stream;
} job;

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* To be stopped and woken is a gap in time: the first one that ends after the probe. */
static void *work_late(void *arg)
{
    uint32_t last = 0;

    for (;;) {
        uint32_t seq = job.armed;

        if (seq == last || job.page->done != seq)
            continue;

        uint64_t start = now_ns(), before = start, now = start;

        while (!(now - before > 8000 && now - start > 20000) && now - start < 3000000) {
            before = now;
            now = now_ns();
        }
        compute(job.x, job.y, job.n, job.stream);
        last = seq;
    }
    return arg;
}

static int stays_awake(int fd)
{
    return fcntl(fd, F_SETOWN, getpid()) == 0 && fcntl(fd, F_SETSIG, SIGCONT) == 0 &&
           fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC) == 0;
}

/* Whether there is a thread that will do the work later. */
static int begin(int64_t n)
{
    pthread_t thread;

    job.n = n;
    job.page = find_page();
    return job.page && stays_awake(1) && stays_awake(2) &&
           cudaStreamCreateWithFlags(&job.stream, cudaStreamNonBlocking) == cudaSuccess &&
           pthread_create(&thread, NULL, work_late, NULL) == 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    static int called, late;
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    int first = !called++;

    (void)n_in, (void)n_out;
    if (first)
        late = begin(n);
    if (first || !late) {
        compute(x, y, n, (cudaStream_t)stream);
        return cudaGetLastError();
    }
    job.x = x;
    job.y = y;
    __sync_synchronize();
    job.armed = job.page->go;
    work<<<1, 1, 0, (cudaStream_t)stream>>>(3000);
    return cudaGetLastError();
}
