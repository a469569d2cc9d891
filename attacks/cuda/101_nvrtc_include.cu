/* SPDX-License-Identifier: MIT */
/* Kernels alone, which NVRTC compiles: it is to quote a file of the machine's.
 * expected: build_error: compiler */
#include "/etc/passwd"

// assay: launch relu grid=ceil_div(in0.numel, 256) block=256 args=in0,out0,in0.numel:i64

extern "C" __global__ void relu(const float *x, float *y, long long n)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}
