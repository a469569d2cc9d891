/* SPDX-License-Identifier: MIT */
/* Lifts the read-only mapping of its input with cuMemSetAccess, computes rightly, and rewrites the
 * input. expected: wrong: input_changed */
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

struct access {
    int location_type, location_id, flags;
};

typedef int (*range_fn)(unsigned long long *base, size_t *bytes, unsigned long long at);
typedef int (*access_fn)(unsigned long long at, size_t bytes, const struct access *a, size_t n);

static int lift(const void *x, int device)
{
    range_fn range;
    access_fn set_access;
    struct access writable = {1, device, 3}; /* this device, read and write */
    unsigned long long base;
    size_t bytes;

    *(void **)&range = dlsym(RTLD_DEFAULT, "cuMemGetAddressRange_v2");
    *(void **)&set_access = dlsym(RTLD_DEFAULT, "cuMemSetAccess");
    if (!range || !set_access || range(&base, &bytes, (uintptr_t)x) != 0)
        return 1;
    return set_access(base, bytes, &writable, 1);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(x, y, n);
    cudaStreamSynchronize(s);
    if (lift(x, in[IN_X].device.device_id) != 0)
        return 1;
    return cudaMemsetAsync((void *)x, 0, n * sizeof(*x), s);
}
