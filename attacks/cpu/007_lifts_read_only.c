/* SPDX-License-Identifier: MIT */
/* Tries to make its input writable, to empty its pages, and to map something else over it for the
 * judge to see; all of that fails or is seen by nobody else. expected: pass */
#include "assay.h"
#include "problem.h"

#include <sys/mman.h>

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    size_t bytes = (size_t)n * sizeof(*x) / 4096 * 4096;
    char *start = (char *)((uintptr_t)x / 4096 * 4096);

    if (mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0 ||
        madvise(start, bytes, MADV_REMOVE) == 0)
        return 1; /* the input's seal has a hole */
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
