/* SPDX-License-Identifier: MIT */
/* One call computes for every buffer it has ever been given, the next ones for none: by then other
 * contents are there. expected: wrong: max or wrong: unwritten */
#include "assay.h"
#include "problem.h"

enum { BUFFERS = 8 };

static struct pair {
    const float *x;
    float *y;
} pairs[BUFFERS];

static void remember(const float *x, float *y)
{
    for (int i = 0; i < BUFFERS; i++)
        if (!pairs[i].x || (pairs[i].x == x && pairs[i].y == y)) {
            pairs[i] = (struct pair){x, y};
            return;
        }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = in[IN_X].data;
    float *y = out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    (void)n_in, (void)n_out, (void)stream;
    static int calls;

    remember(x, y);
    if (calls++ % 4 != 0)
        return 0;
    for (int p = 0; p < BUFFERS && pairs[p].x; p++)
        for (int64_t i = 0; i < n; i++)
            pairs[p].y[i] = pairs[p].x[i] > 0 ? pairs[p].x[i] : 0;
    return 0;
}
