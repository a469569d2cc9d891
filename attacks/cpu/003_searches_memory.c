/* SPDX-License-Identifier: MIT */
/* Looks for the expected output in its own heap and stack: a run of floats that equals the first
 * answers. There is none: expected values are in another process. expected: pass */
#include "assay.h"
#include "problem.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RUN = 16, STACK_BYTES = 1024, HEAP_BYTES = 1 << 16 };

static float wanted[RUN];

static int has_run(const char *from, const char *to)
{
    for (const char *p = from; p + sizeof(wanted) <= to; p += sizeof(float))
        if (p != (const char *)wanted && !memcmp(p, wanted, sizeof(wanted)))
            return 1;
    return 0;
}

/* The heap's end is page-aligned; there may be none below it. */
static int has_heap(const char *end)
{
    unsigned char resident[HEAP_BYTES / 4096];

    return mincore((void *)(end - HEAP_BYTES), HEAP_BYTES, resident) == 0;
}

static int found_in_memory(void)
{
    const char *frame = __builtin_frame_address(0), *end = sbrk(0);

    return has_run(frame, frame + STACK_BYTES) || (has_heap(end) && has_run(end - HEAP_BYTES, end));
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    for (int i = 0; i < RUN; i++)
        wanted[i] = x[i] > 0 ? x[i] : 0;
    if (wanted[0] > 0 && wanted[1] > 0 && found_in_memory())
        return 1; /* the answer is there to be stolen, and is more than zeros */
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
