/* SPDX-License-Identifier: MIT */
/* Wants to read files of the machine, the judge and other processes. expected: pass */
#include "assay.h"
#include "problem.h"

#include <fcntl.h>

#define THREADS 256

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

static int can_read(void)
{
    static const char *const names[] = {"/etc/passwd", "/etc/shadow", "/", "/root", "/home", "/tmp",
                                        "/proc/1/environ/..", "/var/log", "/dev/mem", "/dev/shm"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (open(names[i], O_RDONLY) >= 0)
            return 1;
    return open("/tmp/x", O_WRONLY | O_CREAT, 0600) >= 0 ||
           open("/dev/shm/x", O_WRONLY | O_CREAT, 0600) >= 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    if (can_read())
        return 1; /* the sandbox has a hole */
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(x, y, n);
    return cudaGetLastError();
}
