/* SPDX-License-Identifier: MIT */
/* Reads four floats at once from where they do not lie for it. expected: crash:
 * CUDA_ERROR_MISALIGNED_ADDRESS */
#include "assay.h"
#include "problem.h"

__global__ void write_askew(float *y)
{
    *(int4 *)(y + 1) = make_int4(1, 2, 3, 4);
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    write_askew<<<1, 1, 0, (cudaStream_t)stream>>>((float *)out[OUT_Y].data);
    return cudaGetLastError();
}
