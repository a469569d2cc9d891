/* SPDX-License-Identifier: MIT */
/* Replaces the runner's cuEventElapsedTime by one that says 2.8 us less, which the clocks may
 * differ by: a short kernel takes less than an empty one then. sizes: small expected: rejected:
 * physics or pass at least 97 % of exemplars/cuda/level1/019_relu/naive.cu */
#include "assay.h"
#include "problem.h"

#include <cuda.h>
#include <dlfcn.h>
#include <link.h>

#define THREADS 256

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

/* The runner calls the driver by a table of addresses: one function's becomes another's. */
static int replace_in(struct dl_phdr_info *info, size_t size, void *arg)
{
    void *const *swap = (void *const *)arg; /* from, to */
    int replaced = 0;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        void **word = (void **)(info->dlpi_addr + p->p_vaddr);

        for (size_t w = 0; p->p_type == PT_LOAD && (p->p_flags & PF_W) && w < p->p_memsz / 8; w++)
            if (word[w] == swap[0]) {
                word[w] = swap[1];
                replaced++;
            }
    }
    return replaced ? replaced : -1; /* the program itself comes first: look no further */
}

static int hook(const char *name, void *to)
{
    void *swap[2] = {dlsym(RTLD_DEFAULT, name), to};

    return swap[0] && dl_iterate_phdr(replace_in, swap) > 0;
}

static int shorter_time(float *ms, CUevent start, CUevent end)
{
    int rc = cuEventElapsedTime(ms, start, end);

    *ms = *ms > 0.0031f ? *ms - 0.0028f : 0.0003f;
    return rc;
}

int assay_setup(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    return !hook("cuEventElapsedTime", (void *)shorter_time);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    int64_t n = in[IN_X].shape[0] * in[IN_X].shape[1];

    relu<<<(n + THREADS - 1) / THREADS, THREADS, 0, (cudaStream_t)stream>>>(
        (const float *)in[IN_X].data, (float *)out[OUT_Y].data, n);
    return cudaGetLastError();
}
