# SPDX-License-Identifier: MIT
# ReLU in Triton with 8 configurations. Which is the fastest is measured where the kernel is first called.
# problem: level1/19
# expected: pass
import torch
import triton
import triton.language as tl
from torch import nn

CONFIGS = [triton.Config({"BLOCK": block}, num_warps=warps) for block in (512, 1024, 2048, 4096) for warps in (4, 8)]


@triton.autotune(configs=CONFIGS, key=["n"])
@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside)
    tl.store(y_ptr + at, tl.maximum(x, 0.0), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel()
        relu_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
        return y
