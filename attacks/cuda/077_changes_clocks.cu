/* SPDX-License-Identifier: MIT */
/* Wants to change the clocks of the device; that takes rights which it has not. expected: pass */
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

static int clocks_change(void)
{
    void *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW), *device = NULL;
    int (*init)(void) = (int (*)(void))(nvml ? dlsym(nvml, "nvmlInit_v2") : NULL);
    int (*get)(unsigned, void **) =
        (int (*)(unsigned, void **))(nvml ? dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2") : NULL);
    int (*lock)(void *, unsigned, unsigned) =
        (int (*)(void *, unsigned, unsigned))(nvml ? dlsym(nvml, "nvmlDeviceSetGpuLockedClocks")
                                                   : NULL);

    return init && get && lock && init() == 0 && get(0, &device) == 0 &&
           lock(device, 345, 345) == 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    static int tried;

    if (!tried && clocks_change())
        return 1;
    tried = 1;
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(x, y, n);
    return cudaGetLastError();
}
