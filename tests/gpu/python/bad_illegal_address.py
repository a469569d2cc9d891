# SPDX-License-Identifier: MIT
# A Triton kernel writes where no memory is.
# problem: level1/19
# expected: crash: CUDA_ERROR_ILLEGAL_ADDRESS
import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def write_nowhere(y_ptr, address, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    nowhere = address.to(tl.int64).to(tl.pointer_type(tl.float32))
    tl.store(nowhere + lane, tl.load(y_ptr + lane))


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.relu(x)
        write_nowhere[(1,)](y, 4096, BLOCK=256)
        return y
