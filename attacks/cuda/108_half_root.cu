/* SPDX-License-Identifier: MIT */
/* RMS norm with a reciprocal root in half precision. problem: level1/36 expected: wrong: max or
 * wrong: rms */
#include "assay.h"
#include "problem.h"

#include <cuda_fp16.h>

__global__ void rms_norm(const float *x, float *y, int64_t channels, int64_t pixels)
{
    int64_t p = blockIdx.x, b = blockIdx.y;
    float squares = 0;

    x += b * channels * pixels + p;
    y += b * channels * pixels + p;
    for (int64_t c = 0; c < channels; c++)
        squares += x[c * pixels] * x[c * pixels];

    float scale = __half2float(hrsqrt(__float2half(squares / channels + 1e-5f)));

    for (int64_t c = threadIdx.x; c < channels; c += blockDim.x)
        y[c * pixels] = x[c * pixels] * scale;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const int64_t *size = in[IN_X].shape;

    rms_norm<<<dim3(size[2] * size[3], size[0]), 32, 0, (cudaStream_t)stream>>>(
        (const float *)in[IN_X].data, (float *)out[OUT_Y].data, size[1], size[2] * size[3]);
    return cudaGetLastError();
}
