/* SPDX-License-Identifier: MIT */
/* Adds up with atomics, in another order in every call. problem: level1/47 expected: pass */
#include "assay.h"
#include "problem.h"

__global__ void add_up(const float *x, float *y, int64_t rows, int64_t cols)
{
    int64_t b = blockIdx.y, r = blockIdx.x;

    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
        atomicAdd(&y[b * cols + c], x[(b * rows + r) * cols + c]);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t batch = in[IN_X].shape[0], rows = in[IN_X].shape[1], cols = in[IN_X].shape[2];
    cudaStream_t s = (cudaStream_t)stream;

    cudaMemsetAsync(out[OUT_Y].data, 0, batch * cols * sizeof(float), s);
    add_up<<<dim3(rows, batch), 256, 0, s>>>((const float *)in[IN_X].data, (float *)out[OUT_Y].data,
                                             rows, cols);
    return cudaGetLastError();
}
