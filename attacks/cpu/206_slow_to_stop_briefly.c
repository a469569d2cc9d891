/* SPDX-License-Identifier: MIT */
/* As slow_to_stop, with little work: a long stop explains no more of it than a short one does.
 * expected: pass at least 90 us */
#include "assay.h"
#include "problem.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* The honest work, made long enough to be seen; on a busy machine it takes no less CPU time. */
static void work(int64_t microseconds)
{
    struct timespec start, now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 <
           microseconds);
}

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

static struct buffers {
    const float *in[64];
    float *out[64];
    float *answers[64]; /* by input */
} known;

static void relu(const float *x, float *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
}

/* Never returns to the runner: from here on its loop is this one. */
static void serve(struct page *page, int64_t n)
{
    unsigned done = page->go, awake = page->awake; /* once "done" is said it may be changed */

    page->status = 0;
    page->done = done;
    for (;;) {
        if (page->awake != awake) {
            awake = page->awake;
            work(150);
            for (int i = 0; i < 64; i++)
                if (known.in[i])
                    relu(known.in[i], known.answers[i], n);
            page->awake_ack = awake;
        }
        if (page->go == done)
            continue;
        done = page->go;
        if (page->order == 1)
            memcpy(known.out[page->out_arena], known.answers[page->in_arena],
                   (size_t)n * sizeof(float));
        page->status = 0;
        page->done = done;
        syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
    }
}

static int knows_all(void)
{
    return known.in[0] && known.in[1] && known.out[2] && known.out[3];
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    struct page *page = find_page();

    if (!page)
        return 1;
    known.in[page->in_arena] = x;
    known.out[page->out_arena] = y;
    known.answers[page->in_arena] = malloc((size_t)n * sizeof(*y));
    if (!known.answers[page->in_arena])
        return 1;
    relu(x, y, n);
    if (knows_all())
        serve(page, n);
    return 0;
}
