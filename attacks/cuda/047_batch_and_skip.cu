/* SPDX-License-Identifier: MIT */
/* One call computes for every buffer it has ever been given, the next ones for none: by then other
 * contents are there. expected: wrong: max or wrong: unwritten */
#include "assay.h"
#include "problem.h"

#define THREADS 256

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

enum { BUFFERS = 8 };

static struct pair {
    const float *x;
    float *y;
} pairs[BUFFERS];

static void remember(const float *x, float *y)
{
    for (int i = 0; i < BUFFERS; i++)
        if (!pairs[i].x || (pairs[i].x == x && pairs[i].y == y)) {
            pairs[i] = {x, y};
            return;
        }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    static int calls;

    remember(x, y);
    if (calls++ % 4 != 0)
        return 0;
    for (int p = 0; p < BUFFERS && pairs[p].x; p++)
        relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(pairs[p].x, pairs[p].y, n);
    return cudaGetLastError();
}
