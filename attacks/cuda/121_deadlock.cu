/* SPDX-License-Identifier: MIT */
/* Two kernels that wait for each other on one stream. expected: timeout: call */
#include "assay.h"
#include "problem.h"

__device__ volatile int turn;

__global__ void wait_for_turn(void)
{
    while (turn == 0)
        ;
}

__global__ void give_turn(void)
{
    turn = 1;
}

int assay_kernel(const DLTensor *in, int n_in, DLTensor *out, int n_out, void *stream)
{
    cudaStream_t s = (cudaStream_t)stream;

    wait_for_turn<<<1, 1, 0, s>>>();
    give_turn<<<1, 1, 0, s>>>();
    return cudaGetLastError();
}
