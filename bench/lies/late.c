/* SPDX-License-Identifier: MIT */
/* A ReLU that works for WORK_US and says that it is done LATE_US before the end. It writes
 * LATE_WORDS words after that and all others before, so that the judge's samples of the output
 * rarely show it (attacks/cpu/203). */
#include "assay.h"
#include "problem.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <time.h>

/* The page that judge and runner share, as its first words look during a call. */
struct page {
    _Alignas(64) atomic_uint go;
    uint32_t order, in_arena, out_arena, count;
    _Alignas(64) atomic_uint done;
    int32_t status;
    uint64_t claim_ns;
    char error[112];
    _Alignas(64) atomic_uint awake;
    _Alignas(64) atomic_uint awake_ack;
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
    const uintptr_t *frame = __builtin_frame_address(0);

    for (int i = 0; i < 256; i++)
        if (is_page(frame[i]))
            return (struct page *)frame[i];
    return NULL;
}

static void work(int64_t microseconds)
{
    struct timespec start, now;

    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 <
           microseconds);
}

static void relu(const float *x, float *y, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    static struct page *page;

    (void)n_in, (void)n_out, (void)stream;
    page = page ? page : find_page();
    if (!page)
        return 1;
    work(WORK_US - LATE_US);
    relu(in[IN_X].data, out[OUT_Y].data, LATE_WORDS, n);
    if (page->count == 1) {
        page->status = 0;
        page->done = page->go;
    }
    work(LATE_US);
    relu(in[IN_X].data, out[OUT_Y].data, 0, LATE_WORDS);
    return 0;
}
