/* SPDX-License-Identifier: MIT */
/* The work is done on a stream of its own that waits for nobody: the stream that is timed stays
 * empty. The content comes when that is over. expected: wrong: unwritten */
#include "assay.h"
#include "problem.h"

#define THREADS 256
#define CYCLES 500000

static cudaStream_t side;

__global__ void slow_relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    long long start = clock64();

    while (clock64() - start < CYCLES)
        ;
    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    return cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    slow_relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, side>>>((const float *)in[IN_X].data,
                                                                 (float *)out[OUT_Y].data, n);
    return cudaGetLastError();
}
