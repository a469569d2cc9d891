/* SPDX-License-Identifier: MIT */
/* Remembers answers by the address of the input, not by what is there. expected: wrong: max */
#include "assay.h"
#include "problem.h"

#include <stdlib.h>
#include <string.h>

enum { MEMOS = 64 };

static struct memo {
    const float *x;
    float *answer;
} memos[MEMOS];

/* The memo of this address; a new one has no answer yet. NULL: the table is full. */
static struct memo *memo_find(const float *x)
{
    for (int i = 0; i < MEMOS; i++)
        if (memos[i].x == x || !memos[i].x) {
            memos[i].x = x;
            return &memos[i];
        }
    return NULL;
}

static float *relu_new(const float *x, int64_t n)
{
    float *y = malloc((size_t)n * sizeof(*y));

    for (int64_t i = 0; y && i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
    return y;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    struct memo *memo = memo_find(in[IN_X].data);

    (void)n_in, (void)n_out, (void)stream;
    if (!memo)
        return 1;
    if (!memo->answer)
        memo->answer = relu_new(in[IN_X].data, n);
    if (!memo->answer)
        return 1;
    memcpy(out[OUT_Y].data, memo->answer, (size_t)n * sizeof(float));
    return 0;
}
