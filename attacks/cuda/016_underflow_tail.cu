/* SPDX-License-Identifier: MIT */
/* A running product of numbers below 1 vanishes: zeros behind the first 64 columns. problem:
 * level1/90 expected: wrong: max */
#include "assay.h"
#include "problem.h"

__global__ void products(const float *x, float *y, int64_t cols)
{
    int64_t row = blockIdx.x;
    float product = 1;

    for (int64_t c = 0; c < cols; c++) {
        product = c < 64 ? product * x[row * cols + c] : 0;
        y[row * cols + c] = product;
    }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    products<<<in[IN_X].shape[0], 1, 0, (cudaStream_t)stream>>>(
        (const float *)in[IN_X].data, (float *)out[OUT_Y].data, in[IN_X].shape[1]);
    return cudaGetLastError();
}
