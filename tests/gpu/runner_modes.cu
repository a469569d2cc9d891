// SPDX-License-Identifier: MIT
// A candidate that behaves as the length of its second input says (test_cuda_runner.c has the list).
#include "assay.h"

#include <cassert>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

enum mode {
    RELU = 1,
    RETURN_7,
    WRITE_INPUT,
    WILD_POINTER,
    TRAP,
    ASSERT,
    SPIN,
    EXIT_3,
    ABORT,
    FORK,
    SOCKET,
    RESET,
    SETUP_5,
    SETUP_FAULT,
    SCRATCH,
    OWN_STREAM,
    DEFAULT_STREAM,
    FILES,
    PINNED,
    THIRTY,
    TOO_LARGE,
    RESET_LAST,
    SETUP_RESET,
    FREE_TWICE,
    HOST_FREE_TWICE,
};

static float *scratch;

__global__ void relu(const float *x, float *y, int64_t n)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * blockDim.x)
        y[i] = x[i] > 0 ? x[i] : 0;
}

__global__ void misbehave(int mode, const float *x, float *y)
{
    if (mode == WRITE_INPUT)
        const_cast<float *>(x)[0] = 1;
    if (mode == WILD_POINTER || mode == SETUP_FAULT)
        *reinterpret_cast<float *>(uintptr_t{0xdead0000}) = 1;
    if (mode == TRAP)
        __trap();
    if (mode == ASSERT)
        assert(threadIdx.x == 99);
    while (mode == SPIN && *reinterpret_cast<volatile const float *>(x) < 1e30f)
        ;
}

static int run(const float *x, float *y, int64_t n, cudaStream_t stream)
{
    relu<<<1024, 256, 0, stream>>>(x, y, n);
    return cudaGetLastError() == cudaSuccess ? 0 : 100;
}

// Non-zero when something could be opened that is none of a candidate's business.
static int look_around()
{
    static const char *const files[] = {"/etc/passwd", "/dev/mem", "/usr/bin/env"};

    for (const char *file : files)
        if (open(file, O_RDONLY) >= 0)
            return 50;
    if (open("/tmp/assay-test-escaped", O_WRONLY | O_CREAT, 0600) >= 0)
        return 51;
    return dlopen("libcublas.so.13", RTLD_NOW) || dlopen("libcublas.so.12", RTLD_NOW) ? 52 : 0;
}

// The compiler must not see that it is the same.
static int free_twice(void *volatile memory)
{
    free(memory);
    free(memory);
    return 0;
}

static int in_pinned_memory(const float *x, float *y, int64_t n, cudaStream_t stream)
{
    float *host = nullptr;

    if (cudaMallocHost(&host, 4096) != cudaSuccess)
        return 60;
    host[0] = 3;
    cudaMemcpyAsync(y, host, 4096, cudaMemcpyHostToDevice, stream);
    int rc = run(x, y, n, stream);
    cudaStreamSynchronize(stream);
    cudaFreeHost(host);
    return rc;
}

static int on_own_stream(const float *x, float *y, int64_t n)
{
    static cudaStream_t own;

    if (!own && cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking) != cudaSuccess)
        return 61;
    return run(x, y, n, own);
}

extern "C" int assay_setup(const DLTensor *in, int, DLTensor *, int, void *stream)
{
    int mode = (int)in[1].shape[0];

    if (mode == SETUP_5)
        return 5;
    if (mode == SETUP_RESET)
        return cudaDeviceReset();
    if (mode == SETUP_FAULT)
        misbehave<<<1, 1, 0, (cudaStream_t)stream>>>(mode, nullptr, nullptr);
    if (mode == SCRATCH && cudaMalloc(&scratch, in[0].shape[0] * sizeof(float)) != cudaSuccess)
        return 6;
    return 0;
}

extern "C" int assay_kernel(const DLTensor *in, int, DLTensor *out, int, void *stream_)
{
    const float *x = (const float *)in[0].data;
    float *y = (float *)out[0].data, *more = nullptr;
    int64_t n = in[0].shape[0];
    int mode = (int)in[1].shape[0];
    cudaStream_t stream = (cudaStream_t)stream_;

    switch (mode) {
    case RETURN_7:
        return 7;
    case EXIT_3:
        _exit(3);
    case ABORT:
        abort();
    case FORK:
        return fork() == 0;
    case SOCKET:
        return socket(AF_INET, SOCK_STREAM, 0) >= 0;
    case RESET:
        return cudaDeviceReset() == cudaSuccess ? run(x, y, n, nullptr) : 8;
    case RESET_LAST: {
        int rc = run(x, y, n, stream);
        return rc ? rc : cudaDeviceReset();
    }
    case FREE_TWICE:
        if (cudaMalloc(&more, 4096) != cudaSuccess || cudaFree(more) != cudaSuccess)
            return 9;
        return cudaFree(more);
    case HOST_FREE_TWICE:
        return free_twice(malloc(64));
    case FILES: {
        int rc = look_around();
        return rc ? rc : run(x, y, n, stream);
    }
    case SCRATCH:
        run(x, scratch, n, stream);
        return cudaMemcpyAsync(y, scratch, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    case OWN_STREAM:
        return on_own_stream(x, y, n);
    case DEFAULT_STREAM:
        return run(x, y, n, nullptr);
    case PINNED:
        return in_pinned_memory(x, y, n, stream);
    case THIRTY:
        for (int i = 0; i < 29; i++)
            run(x, y, n, stream);
        return run(x, y, n, stream);
    case TOO_LARGE: // out of memory is an answer, no fault
        if (cudaMalloc(&more, (size_t)1 << 45) != cudaErrorMemoryAllocation)
            return 70;
        cudaGetLastError(); // it was expected
        return run(x, y, n, stream);
    case RELU:
    case SETUP_5:
    case SETUP_FAULT:
        return run(x, y, n, stream);
    default:
        misbehave<<<1, 1, 0, stream>>>(mode, x, y);
        return 0;
    }
}
