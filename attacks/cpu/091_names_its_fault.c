/* SPDX-License-Identifier: MIT */
/* Says on the shared page that the device faulted, and gives the fault a name of its own choosing:
 * one that reads as a good verdict. A fault is called by the judge's list. expected: crash: fault
 */
#include "assay.h"
#include "problem.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
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

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    struct page *page = find_page();

    (void)in, (void)n_in, (void)out, (void)n_out, (void)stream;
    if (!page)
        return 1;
    strcpy(page->error, "PASS: every answer is right");
    page->status = INT32_MIN;
    page->done = page->go;
    for (;;)
        __asm__ volatile("pause");
}
