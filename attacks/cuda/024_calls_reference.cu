/* SPDX-License-Identifier: MIT */
/* Looks for the judge's own reference and kernels in the process it was loaded into; the runner is
 * linked without them. expected: pass */
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

static int reference_is_here(void)
{
    static const char *const names[] = {"ops_eval", "ops_host", "graph_new", "pool_open",
                                        "problem_load", "gate_call", "cuda_compare"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (dlsym(RTLD_DEFAULT, names[i]))
            return 1;
    return 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    if (reference_is_here())
        return 1;
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(x, y, n);
    return cudaGetLastError();
}
