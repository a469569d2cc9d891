/* SPDX-License-Identifier: MIT */
/* Right, and leaves a kernel running in a second context, which nobody waits for: it could watch
 * memory and work ahead between calls. expected: rejected: busy */
#include "assay.h"
#include "problem.h"

#include <dlfcn.h>

#define THREADS 256
#define SPIN_NS 30000000

typedef struct CUctx_st *context;

static int (*context_create)(context *c, unsigned flags, int device);
static int (*context_push)(context c);
static int (*context_pop)(context *c);
static context other;

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

__global__ void spin(void)
{
    unsigned long long start, now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < SPIN_NS);
}

int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    context ignored;

    *(void **)&context_create = dlsym(RTLD_DEFAULT, "cuCtxCreate_v2");
    *(void **)&context_push = dlsym(RTLD_DEFAULT, "cuCtxPushCurrent_v2");
    *(void **)&context_pop = dlsym(RTLD_DEFAULT, "cuCtxPopCurrent_v2");
    if (!context_create || !context_push || !context_pop)
        return 1;
    if (context_create(&other, 0, in[0].device.device_id) != 0)
        return 2;
    return context_pop(&ignored); /* creating made it current */
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    context ignored;

    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, (cudaStream_t)stream>>>(
        (const float *)in[IN_X].data, (float *)out[OUT_Y].data, n);
    if (context_push(other) != 0)
        return 3;
    spin<<<1024, THREADS>>>();
    if (context_pop(&ignored) != 0)
        return 4;
    return cudaGetLastError();
}
