/* SPDX-License-Identifier: MIT */
/* Says that it is done when the runner would begin to wait, and hides as much work behind that as a
 * probe of the judge may take longer than usual. Events say what the runner likes to hear. What a
 * probe takes beyond its usual time is the call's. expected: rejected: busy or rejected: late or
 * pass at least 97 % of attacks/cuda/139_slow_relu_control.cu */
#include "assay.h"
#include "problem.h"

#include <cuda.h>
#include <dlfcn.h>
#include <link.h>
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

/* The runner calls the driver by a table of addresses: one function's becomes another's. */
static int replace_in(struct dl_phdr_info *info, size_t size, void *arg)
{
    void *const *swap = (void *const *)arg; /* from, to */
    int replaced = 0;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        void **word = (void **)(info->dlpi_addr + p->p_vaddr);

        for (size_t w = 0; p->p_type == PT_LOAD && (p->p_flags & PF_W) && w < p->p_memsz / 8; w++)
            if (word[w] == swap[0]) {
                word[w] = swap[1];
                replaced++;
            }
    }
    return replaced ? replaced : -1; /* the program itself comes first: look no further */
}

static int hook(const char *name, void *to)
{
    void *swap[2] = {dlsym(RTLD_DEFAULT, name), to};

    return swap[0] && dl_iterate_phdr(replace_in, swap) > 0;
}

static struct page *page;

/* Whether this is a call of the kind that is scored. */
static int is_scored(void)
{
    return page && page->hold == 1 && page->order == 1 && page->count == 1;
}

/* The runner waits for its work: the device has not begun it before the release. */
static int wait_for_release(CUstream stream)
{
    if (!is_scored())
        return cuStreamSynchronize(stream);
    while (page->release != page->go)
        ;
    return 0;
}

static int wait_for_nothing(void)
{
    return is_scored() ? 0 : cuCtxSynchronize();
}

static int short_time(float *ms, CUevent start, CUevent end)
{
    *ms = 0.004f;
    return is_scored() ? 0 : cuEventElapsedTime(ms, start, end);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    if (!page) {
        page = find_page();
        if (!page || !hook("cuStreamSynchronize", (void *)wait_for_release) ||
            !hook("cuCtxSynchronize", (void *)wait_for_nothing) ||
            !hook("cuEventElapsedTime", (void *)short_time))
            return 1;
    }
    work<<<1, 1, 0, s>>>(110000);
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>((const float *)in[IN_X].data,
                                                         (float *)out[OUT_Y].data, n);
    return cudaGetLastError();
}
