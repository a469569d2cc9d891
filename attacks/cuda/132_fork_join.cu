/* SPDX-License-Identifier: MIT */
/* Forks to a second stream and joins it again before it returns. expected: pass */
#include "assay.h"
#include "problem.h"

#define THREADS 256

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

static cudaStream_t side;
static cudaEvent_t forked, joined;

int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    return cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking) != cudaSuccess ||
           cudaEventCreateWithFlags(&forked, cudaEventDisableTiming) != cudaSuccess ||
           cudaEventCreateWithFlags(&joined, cudaEventDisableTiming) != cudaSuccess;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    int64_t half = n / 2;

    cudaEventRecord(forked, s);
    cudaStreamWaitEvent(side, forked, 0);
    relu<<<(half + THREADS - 1) / THREADS, THREADS, 0, side>>>(x, y, half);
    relu<<<(n - half + THREADS - 1) / THREADS, THREADS, 0, s>>>(x + half, y + half, n - half);
    cudaEventRecord(joined, side);
    cudaStreamWaitEvent(s, joined, 0);
    return cudaGetLastError();
}
