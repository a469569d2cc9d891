/* SPDX-License-Identifier: MIT */
/* Softmax without taking the maximum off: large inputs overflow. problem: level1/23 expected:
 * wrong: nonfinite or wrong: max */
#include "assay.h"
#include "problem.h"

__global__ void softmax(const float *x, float *y, int64_t cols)
{
    int64_t row = blockIdx.x;
    float sum = 0;

    for (int64_t c = 0; c < cols; c++)
        sum += expf(x[row * cols + c]);
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
        y[row * cols + c] = expf(x[row * cols + c]) / sum;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    softmax<<<in[IN_X].shape[0], 128, 0, (cudaStream_t)stream>>>(
        (const float *)in[IN_X].data, (float *)out[OUT_Y].data, in[IN_X].shape[1]);
    return cudaGetLastError();
}
