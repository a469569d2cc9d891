/* SPDX-License-Identifier: MIT */
/* Keeps 64 MB where the problem allows 96 KB, in a thread that takes the runner's loop over, and
 * ends the first thread: of a process without one the kernel tells no memory, unless another thread
 * is asked for. problem: hard/7 expected: rejected: memory */
#include "assay.h"
#include "problem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define SCRATCH_BYTES ((size_t)64 << 20)

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

static float from_bf16(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint16_t to_bf16(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); /* to nearest, ties to even */
}

#define GROUP 128

static struct buffers {
    struct page *page;
    DLTensor in[64][8], out[64]; /* by arena */
    int known[64];
} all;

static void multiply(const DLTensor *in, const DLTensor *out)
{
    const uint16_t *x = in[IN_X].data, *scales = in[IN_SCALES].data, *zeros = in[IN_ZEROS].data;
    const uint8_t *w = in[IN_W_Q].data;
    uint16_t *y = out->data;
    int64_t m = in[IN_X].shape[0], k = in[IN_X].shape[1], n = in[IN_W_Q].shape[1];

    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float sum = 0;

            for (int64_t g = 0; g < k / GROUP; g++) {
                float zero = from_bf16(zeros[g * n + j]), part = 0;

                for (int64_t r = g * GROUP; r < (g + 1) * GROUP; r += 2) {
                    uint8_t pair = w[r / 2 * n + j];

                    part += from_bf16(x[i * k + r]) * ((float)(pair & 15) - zero);
                    part += from_bf16(x[i * k + r + 1]) * ((float)(pair >> 4) - zero);
                }
                sum += part * from_bf16(scales[g * n + j]);
            }
            y[i * n + j] = to_bf16(sum);
        }
}

/* The runner's loop from here on. */
static void *serve(void *arg)
{
    struct page *page = all.page;
    unsigned done = page->go, awake = page->awake; /* once "done" is said it may be changed */
    void *room = malloc(SCRATCH_BYTES);

    (void)arg;
    if (room)
        memset(room, 1, SCRATCH_BYTES);
    usleep(20000); /* the first thread ends meanwhile */
    page->status = !room;
    page->done = done;
    for (;;) {
        if (page->awake != awake) {
            awake = page->awake;
            page->awake_ack = awake;
        }
        if (page->go == done)
            continue;
        done = page->go;
        if (page->order == 1)
            multiply(all.in[page->in_arena], &all.out[page->out_arena]);
        page->status = 0;
        page->done = done;
    }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    pthread_t thread;

    (void)n_out, (void)stream;
    all.page = find_page();
    if (!all.page)
        return 1;
    memcpy(all.in[all.page->in_arena], in, (size_t)n_in * sizeof(*in));
    all.out[all.page->out_arena] = *out;
    all.known[all.page->in_arena] = all.known[all.page->out_arena] = 1;
    multiply(in, out);
    if (!all.known[0] || !all.known[1] || !all.known[2] || !all.known[3])
        return 0;
    if (pthread_create(&thread, NULL, serve, NULL))
        return 1;
    return (int)syscall(SYS_exit, 0);
}
