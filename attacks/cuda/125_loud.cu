/* SPDX-License-Identifier: MIT */
/* Prints 100 MB in its first call, computes honestly in all. expected: pass */
#include "assay.h"
#include "problem.h"

#include <string.h>
#include <unistd.h>

#define THREADS 256

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

static void shout(void)
{
    static char text[64 * 1024];

    memset(text, 'a', sizeof(text));
    for (size_t left = 100 * 1000 * 1000; left > 0;) {
        ssize_t done = write(STDERR_FILENO, text, left < sizeof(text) ? left : sizeof(text));

        if (done <= 0)
            return; /* nobody listens */
        left -= done;
    }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    static int shouted;

    if (!shouted++)
        shout();
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(x, y, n);
    return cudaGetLastError();
}
