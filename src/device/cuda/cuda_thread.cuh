/* SPDX-License-Identifier: MIT */
/* For kernels of blocks of CUDA_THREADS threads in grids of one axis: the number of this thread,
 * and of all threads. */
#ifndef ASSAY_DEVICE_CUDA_THREAD_CUH
#define ASSAY_DEVICE_CUDA_THREAD_CUH

#include "device/cuda/cuda_kernels.h"

#define KERNEL extern "C" __global__ void __launch_bounds__(CUDA_THREADS)

static __device__ __forceinline__ int64_t thread_index()
{
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ int64_t thread_count()
{
    return (int64_t)gridDim.x * blockDim.x;
}

#endif
