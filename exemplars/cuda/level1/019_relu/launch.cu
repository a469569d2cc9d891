/* SPDX-License-Identifier: MIT */
/* ReLU, one element to a thread. Without host code. */
#include <stdint.h>

// assay: launch relu grid=ceil_div(in0.numel,256) block=256 args=in0,out0,in0.numel:i64

extern "C" __global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}
