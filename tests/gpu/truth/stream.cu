// SPDX-License-Identifier: MIT
// Memory-bound: reads and writes everything PASSES times over.
#include "assay.h"
#include "problem.h"

#ifndef PASSES
#define PASSES 1
#endif
#define THREADS 256

__global__ void stream_relu(const float4 *x, float4 *y, int64_t n)
{
    int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int pass = 0; pass < PASSES; pass++)
        for (int64_t i = first; i < n; i += step) {
            float4 v = __ldcv(&x[i]); // fetched again in each pass

            v.x = v.x > 0 ? v.x : 0;
            v.y = v.y > 0 ? v.y : 0;
            v.z = v.z > 0 ? v.z : 0;
            v.w = v.w > 0 ? v.w : 0;
            __stwt(&y[i], v);
        }
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0] / 4;

    stream_relu<<<132 * 8, THREADS, 0, (cudaStream_t)stream>>>((const float4 *)in[IN_X].data,
                                                               (float4 *)out[OUT_Y].data, n);
    return cudaGetLastError();
}
