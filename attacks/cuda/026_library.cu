/* SPDX-License-Identifier: MIT */
/* Loads cuBLAS and cuDNN at run time, by every name they may have; their files cannot be opened.
 * expected: pass */
#include "assay.h"
#include "problem.h"

#include <dlfcn.h>

#define THREADS 256

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

static int library_loads(void)
{
    static const char *const names[] = {
        "libcublas.so", "libcublas.so.13", "libcublas.so.12", "libcublasLt.so.13", "libcudnn.so.9",
        "/usr/local/cuda/lib64/libcublas.so", "/usr/local/cuda/lib64/libcublasLt.so"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (dlopen(names[i], RTLD_NOW))
            return 1;
    return 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    static int tried;

    if (!tried && library_loads())
        return 1; /* the problem allows no libraries */
    tried = 1;
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(x, y, n);
    return cudaGetLastError();
}
