/* SPDX-License-Identifier: MIT */
/* Writes where no memory is. expected: crash: CUDA_ERROR_ILLEGAL_ADDRESS */
#include "assay.h"
#include "problem.h"

#define THREADS 256

__global__ void write_nowhere(float *nowhere)
{
    nowhere[threadIdx.x] = 1;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    float *nowhere = (float *)0x1000;

    write_nowhere<<<1, THREADS, 0, (cudaStream_t)stream>>>(nowhere);
    return cudaGetLastError();
}
