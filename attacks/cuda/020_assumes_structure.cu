/* SPDX-License-Identifier: MIT */
/* Cross entropy of targets that are always class 0. problem: level1/95 expected: wrong: max */
#include "assay.h"
#include "problem.h"

__global__ void loss_of_row(const float *x, float *loss, int64_t rows, int64_t cols)
{
    int64_t row = blockIdx.x;
    double most = -INFINITY, sum = 0;

    x += row * cols;
    for (int64_t c = 0; c < cols; c++)
        most = fmax(most, (double)x[c]);
    for (int64_t c = 0; c < cols; c++)
        sum += exp(x[c] - most);
    atomicAdd(loss, (float)((most + log(sum) - x[0]) / rows));
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t rows = in[IN_PREDICTIONS].shape[0], cols = in[IN_PREDICTIONS].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    cudaMemsetAsync(out[OUT_LOSS].data, 0, sizeof(float), s);
    loss_of_row<<<rows, 1, 0, s>>>((const float *)in[IN_PREDICTIONS].data,
                                   (float *)out[OUT_LOSS].data, rows, cols);
    return cudaGetLastError();
}
