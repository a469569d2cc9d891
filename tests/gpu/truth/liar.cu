// SPDX-License-Identifier: MIT
// Works for WORK_US and has its event times divided: by COLD_FACTOR where a call is timed alone, by HOT_FACTOR in a
// batch. It puts a jump in front of the driver's cuEventElapsedTime in its own process (attacks/cuda/068). With WAITS it
// waits inside its call, so that no hold can last.
#include "assay.h"
#include "problem.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#define THREADS 256
#define PAGE 4096
#define JUMP_BYTES 12
#define MHZ 1980       // an H200's; elsewhere the work takes another time, which the judge's clock says
#define LAUNCH_US 2    // of a kernel's time is not the loop's

typedef int elapsed_fn(float *ms, void *start, void *end);

static unsigned char original[JUMP_BYTES], jump[JUMP_BYTES];
static char *elapsed;
static int calls; // since times were last asked for

__global__ void slow_relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    long long start = clock64();

    while (clock64() - start < (long long)(WORK_US - LAUNCH_US) * MHZ)
        ;
    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

static int lie(float *ms, void *start, void *end)
{
    memcpy(elapsed, original, JUMP_BYTES);

    int rc = ((elapsed_fn *)elapsed)(ms, start, end);

    memcpy(elapsed, jump, JUMP_BYTES);
    *ms /= calls > 1 ? (float)HOT_FACTOR : calls == 1 ? (float)COLD_FACTOR : 1;
    calls = 0;
    return rc;
}

// x86-64: movabs rax, lie; jmp rax
static void make_jump(void)
{
    uint64_t target = (uint64_t)(uintptr_t)&lie;

    memcpy(jump, "\x48\xb8", 2);
    memcpy(jump + 2, &target, sizeof(target));
    memcpy(jump + 2 + sizeof(target), "\xff\xe0", 2);
}

int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    elapsed = (char *)dlsym(RTLD_DEFAULT, "cuEventElapsedTime");

    char *page = (char *)((uintptr_t)elapsed / PAGE * PAGE);

    if (!elapsed || mprotect(page, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
        return 1;
    make_jump();
    memcpy(original, elapsed, JUMP_BYTES);
    memcpy(elapsed, jump, JUMP_BYTES);
    return 0;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0];

    calls++;
    slow_relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, (cudaStream_t)stream>>>(
        (const float *)in[IN_X].data, (float *)out[OUT_Y].data, n);
#ifdef WAITS
    return cudaStreamSynchronize((cudaStream_t)stream);
#else
    return cudaGetLastError();
#endif
}
