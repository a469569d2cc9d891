# SPDX-License-Identifier: MIT
# The kernel of exemplars/cuda/level1/040_layer_norm/naive.cu in Python.
# problem: level1/40
# expected: pass
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#define EPS 1e-5f
#define THREADS 1024
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

__global__ void layer_norm(const float *x, const float *weight, const float *bias, float *y,
                           int64_t n)
{
    float sum = 0, sum_sq = 0;

    x += blockIdx.x * n;
    y += blockIdx.x * n;
    for (int64_t i = threadIdx.x; i < n; i += THREADS)
        sum += x[i];

    float mean = block_sum(sum) / n;

    for (int64_t i = threadIdx.x; i < n; i += THREADS)
        sum_sq += (x[i] - mean) * (x[i] - mean);

    float scale = 1 / sqrtf(block_sum(sum_sq) / n + EPS);

    for (int64_t i = threadIdx.x; i < n; i += THREADS)
        y[i] = (x[i] - mean) * scale * weight[i] + bias[i];
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias)
{
    torch::Tensor y = torch::empty_like(x);

    layer_norm<<<x.size(0), THREADS>>>(x.data_ptr<float>(), weight.data_ptr<float>(),
                                       bias.data_ptr<float>(), y.data_ptr<float>(), weight.numel());
    TORCH_CHECK(cudaGetLastError() == cudaSuccess, "the launch failed");
    return y;
}
"""
DECLARED = "torch::Tensor forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);"

layer_norm = load_inline("inline_layer_norm", DECLARED, CUDA, functions=["forward"])


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape=normalized_shape)

    def forward(self, x):
        return layer_norm.forward(x, self.ln.weight, self.ln.bias)
