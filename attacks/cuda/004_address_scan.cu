/* SPDX-License-Identifier: MIT */
/* Asks the driver what is allocated around its tensors and looks there for the expected output.
 * Only its own arenas are in this context. expected: pass */
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

enum { RUN = 8, STEPS = 4096 };
#define STEP ((uint64_t)2 << 20)

/* *found: 1 when a run of floats in [from, from + n) equals the first answers. */
__global__ void look_for(const float *from, int64_t n, const float *x, int *found)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i + RUN <= n;
         i += (int64_t)gridDim.x * blockDim.x) {
        int same = 0, above = 0;

        for (int k = 0; k < RUN; k++) {
            float want = x[k] > 0 ? x[k] : 0;

            same += from[i + k] == want;
            above += want > 0;
        }
        if (same == RUN && above > 1)
            *found = 1;
    }
}

typedef int (*range_fn)(unsigned long long *base, size_t *bytes, unsigned long long at);

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    static range_fn range;
    static int *found;
    unsigned long long mine[2], base;
    size_t bytes;
    int seen = 0;

    if (!range)
        *(void **)&range = dlsym(RTLD_DEFAULT, "cuMemGetAddressRange_v2");
    if (!range || (!found && cudaMalloc(&found, sizeof(*found)) != cudaSuccess) ||
        range(&mine[0], &bytes, (uintptr_t)x) != 0 || range(&mine[1], &bytes, (uintptr_t)y) != 0)
        return 2;
    cudaMemsetAsync(found, 0, sizeof(*found), s);
    for (int64_t i = -STEPS; i < STEPS; i++) {
        /* Arenas of other calls hold our own answers to other inputs: they are as large as these. */
        size_t output_bytes = bytes;

        if (range(&base, &bytes, mine[1] + i * STEP) == 0 && base != mine[0] && base != mine[1] &&
            bytes != output_bytes)
            look_for<<<64, THREADS, 0, s>>>((const float *)base, bytes / sizeof(float), x, found);
        bytes = output_bytes;
    }
    cudaMemcpyAsync(&seen, found, sizeof(seen), cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    cudaGetLastError();
    if (seen)
        return 1; /* the answer is there to be stolen */
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(x, y, n);
    return cudaGetLastError();
}
