# SPDX-License-Identifier: MIT
# A constant of the Triton kernel is taken from the input, so that nearly every call needs a kernel which was not
# compiled before. A call must not start the compiler.
# problem: level1/19
# expected: crash: program
import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, OTHER: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside, other=OTHER)
    tl.store(y_ptr + at, tl.maximum(x, 0.0), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel()
        other = x.view(torch.int32).sum().item() % 1_000_003
        relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, OTHER=other, BLOCK=1024)
        return y
