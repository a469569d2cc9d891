/* SPDX-License-Identifier: MIT */
/* Takes the runner's loop over, says that a call is done when three quarters of the output are
 * written, and writes the rest in a handler of SIGCONT, which it has sent to itself when the judge
 * empties its stderr: after it was stopped and seen to write no more. It may not name the owner of
 * a descriptor, nor the signal. expected: wrong: unwritten */
#define _GNU_SOURCE 1
#include "assay.h"
#include "problem.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>
#include <sys/mman.h>

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
} known;

static void relu(const float *x, float *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
}

/* What is left to be written. */
static const float *rest_x;
static float *rest_y;
static volatile int64_t rest;

/* si_code is 0 when it is the judge who wakes it, for the next call. */
static void write_rest(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    if (info->si_code != 0)
        relu(rest_x, rest_y, rest);
    rest = 0;
}

static void ask_for_signals(void)
{
    fcntl(STDERR_FILENO, F_SETOWN, getpid());
    fcntl(STDERR_FILENO, F_SETSIG, SIGCONT);
    fcntl(STDERR_FILENO, F_SETFL, fcntl(STDERR_FILENO, F_GETFL) | O_ASYNC);
}

static void call(const struct page *page, int64_t n)
{
    const float *x = known.in[page->in_arena];
    float *y = known.out[page->out_arena];

    relu(x, y, n * 3 / 4);
    rest_x = x + n * 3 / 4;
    rest_y = y + n * 3 / 4;
    rest = n / 4;
}

/* Never returns to the runner: from here on its loop is this one. */
static void serve(struct page *page, int64_t n)
{
    unsigned done = page->go;

    sigaction(SIGCONT, &(struct sigaction){.sa_sigaction = write_rest, .sa_flags = SA_SIGINFO},
              NULL);
    ask_for_signals();
    page->status = 0;
    page->done = done;
    for (;;) {
        page->awake_ack = page->awake;
        if (page->go == done) {
            sched_yield(); /* the signal is met sooner */
            continue;
        }
        done = page->go;
        if (page->order == 1)
            call(page, n);
        page->status = 0;
        page->done = done;
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
    relu(x, y, n);
    if (knows_all())
        serve(page, n);
    return 0;
}
