/* SPDX-License-Identifier: MIT */
/* Takes all the memory it gets, until it is refused more. expected: pass */
#include "assay.h"
#include "problem.h"

#include <stdlib.h>

enum { PIECES = 64 };

static int is_limited(void)
{
    static void *pieces[PIECES];
    int n = 0;

    while (n < PIECES && (pieces[n] = malloc((size_t)1 << 30)))
        n++;

    int limited = n < PIECES;

    while (n > 0)
        free(pieces[--n]);
    return limited;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    if (!is_limited())
        return 1; /* 64 GiB are more than any runner may have */
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return 0;
}
