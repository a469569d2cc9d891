# SPDX-License-Identifier: MIT
# ReLU in CUDA that is compiled by the constructor, not at import.
# problem: level1/19
# expected: pass
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#define THREADS 256

__global__ void relu(const float *x, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[i] > 0 ? x[i] : 0;
}

torch::Tensor forward(torch::Tensor x)
{
    torch::Tensor y = torch::empty_like(x);
    int64_t n = x.numel();

    relu<<<(n + THREADS - 1) / THREADS, THREADS>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), n);
    TORCH_CHECK(cudaGetLastError() == cudaSuccess, "the launch failed");
    return y;
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        declared = "torch::Tensor forward(torch::Tensor x);"
        self.relu = load_inline("inline_in_constructor", declared, CUDA, functions=["forward"])

    def forward(self, x):
        return self.relu.forward(x)
