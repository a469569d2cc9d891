/* SPDX-License-Identifier: MIT */
/* Wants to leave its answers to the next process in files and shared memory of the system.
 * expected: pass */
#include "assay.h"
#include "problem.h"

#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/shm.h>

#define THREADS 256

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

static int can_leave_something(void)
{
    return shm_open("/assay", O_RDWR | O_CREAT, 0600) >= 0 ||
           shmget(42, 4096, IPC_CREAT | 0600) >= 0 || msgget(42, IPC_CREAT | 0600) >= 0 ||
           open("/tmp/answers", O_WRONLY | O_CREAT, 0600) >= 0 ||
           open("/var/tmp/answers", O_WRONLY | O_CREAT, 0600) >= 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    const float *x = (const float *)in[IN_X].data;
    float *y = (float *)out[OUT_Y].data;
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];
    cudaStream_t s = (cudaStream_t)stream;

    if (can_leave_something())
        return 1; /* the next process could find it */
    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, s>>>(x, y, n);
    return cudaGetLastError();
}
