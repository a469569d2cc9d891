/* SPDX-License-Identifier: MIT */
/* The mean of many squared differences of standard normal numbers is close to 2 without looking at
 * them. problem: level1/94 expected: wrong: max */
#include "assay.h"
#include "problem.h"

__global__ void guess(float *loss)
{
    *loss = 2;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    guess<<<1, 1, 0, (cudaStream_t)stream>>>((float *)out[OUT_LOSS].data);
    return cudaGetLastError();
}
