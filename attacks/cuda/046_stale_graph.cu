/* SPDX-License-Identifier: MIT */
/* Replays a graph that was captured with the first call's addresses. expected: wrong: unwritten or
 * wrong: max */
#include "assay.h"
#include "problem.h"

#define THREADS 256

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

static cudaGraphExec_t graph;

static int capture(const float *x, float *y, int64_t n)
{
    cudaStream_t side;
    cudaGraph_t captured;

    if (cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking) != cudaSuccess ||
        cudaStreamBeginCapture(side, cudaStreamCaptureModeThreadLocal) != cudaSuccess)
        return 1;
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, side>>>(x, y, n);
    return cudaStreamEndCapture(side, &captured) != cudaSuccess ||
           cudaGraphInstantiate(&graph, captured, 0) != cudaSuccess;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    if (!graph && capture(x, y, n))
        return 1;
    return cudaGraphLaunch(graph, s);
}
