/* SPDX-License-Identifier: MIT */
/* ReLU, four elements to a thread, in one load and one store. Without host code. */
#include <stdint.h>

// assay: launch relu grid=ceil_div(in0.numel,1024) block=256 args=in0,out0,in0.numel:i64

extern "C" __global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = 4 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);

    if (i + 4 <= n) { /* tensors are 256-byte aligned */
        float4 v = *(const float4 *)(x + i);

        v.x = v.x > 0 ? v.x : 0;
        v.y = v.y > 0 ? v.y : 0;
        v.z = v.z > 0 ? v.z : 0;
        v.w = v.w > 0 ? v.w : 0;
        *(float4 *)(y + i) = v;
        return;
    }
    for (; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
}
