/* SPDX-License-Identifier: MIT */
/* Overwrites the driver's cuEventElapsedTime in its own process, so that every call claims one
 * microsecond; the kernel takes a quarter of a millisecond. expected: rejected: clock */
#include "assay.h"
#include "problem.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#define THREADS 256
#define CYCLES 500000
#define PAGE 4096

__global__ void slow_relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    long long start = clock64();

    while (clock64() - start < CYCLES)
        ;
    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

/* x86-64: *ms = 0.001f; return 0; */
static const unsigned char stub[] = {0xc7, 0x07, 0x6f, 0x12, 0x83, 0x3a, 0x31, 0xc0, 0xc3};

int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    char *at = (char *)dlsym(RTLD_DEFAULT, "cuEventElapsedTime");
    char *page = (char *)((uintptr_t)at / PAGE * PAGE);

    if (!at || mprotect(page, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
        return 1;
    memcpy(at, stub, sizeof(stub));
    return 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    slow_relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, (cudaStream_t)stream>>>(
        (const float *)in[IN_X].data, (float *)out[OUT_Y].data, n);
    return cudaGetLastError();
}
