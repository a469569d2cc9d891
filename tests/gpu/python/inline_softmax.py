# SPDX-License-Identifier: MIT
# The kernel of exemplars/cuda/level1/023_softmax/naive.cu in Python.
# problem: level1/23
# expected: pass
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#define THREADS 512
#define WARPS (THREADS / 32)

/* The sum over the block, in every thread. */
__device__ float block_sum(float v)
{
    __shared__ float partial[WARPS];

    for (int step = 16; step > 0; step /= 2)
        v += __shfl_xor_sync(~0u, v, step);
    __syncthreads(); /* the last round's readers are done */
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int i = 0; i < WARPS; i++)
        v += partial[i];
    return v;
}

/* The maximum over the block, in every thread. */
__device__ float block_max(float v)
{
    __shared__ float partial[WARPS];

    for (int step = 16; step > 0; step /= 2)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, step));
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = v;
    __syncthreads();
    for (int i = 0; i < WARPS; i++)
        v = fmaxf(v, partial[i]);
    return v;
}

__global__ void softmax(const float *x, float *y, int64_t n)
{
    x += blockIdx.x * n;
    y += blockIdx.x * n;

    float max = -INFINITY, sum = 0;

    for (int64_t i = threadIdx.x; i < n; i += THREADS)
        max = fmaxf(max, x[i]);
    max = block_max(max);
    for (int64_t i = threadIdx.x; i < n; i += THREADS)
        sum += expf(x[i] - max);
    sum = block_sum(sum);
    for (int64_t i = threadIdx.x; i < n; i += THREADS)
        y[i] = expf(x[i] - max) / sum;
}

torch::Tensor forward(torch::Tensor x)
{
    torch::Tensor y = torch::empty_like(x);

    softmax<<<x.size(0), THREADS>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
    TORCH_CHECK(cudaGetLastError() == cudaSuccess, "the launch failed");
    return y;
}
"""

softmax = load_inline("inline_softmax", "torch::Tensor forward(torch::Tensor x);", CUDA, functions=["forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return softmax.forward(x)
