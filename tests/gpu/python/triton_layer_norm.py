# SPDX-License-Identifier: MIT
# Layer norm in Triton, one element of the batch to a program. The variance is taken around the mean in a second pass.
# problem: level1/40
# expected: pass
import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def layer_norm_kernel(x_ptr, weight_ptr, bias_ptr, y_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * n
    lane = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        total += tl.load(x_ptr + row + start + lane, mask=start + lane < n, other=0.0)
    mean = tl.sum(total, axis=0) / n
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        inside = start + lane < n
        x = tl.load(x_ptr + row + start + lane, mask=inside, other=0.0)
        x = tl.where(inside, x - mean, 0.0)
        squares += x * x
    scale = tl.div_rn(1.0, tl.sqrt_rn(tl.sum(squares, axis=0) / n + eps))
    for start in range(0, n, BLOCK):
        at = start + lane
        inside = at < n
        x = tl.load(x_ptr + row + at, mask=inside)
        weight = tl.load(weight_ptr + at, mask=inside)
        bias = tl.load(bias_ptr + at, mask=inside)
        tl.store(y_ptr + row + at, (x - mean) * scale * weight + bias, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape=normalized_shape)

    def forward(self, x):
        y = torch.empty_like(x)
        layer_norm_kernel[(x.shape[0],)](x, self.ln.weight, self.ln.bias, y, self.ln.weight.numel(), self.ln.eps,
                                         BLOCK=4096, num_warps=16)
        return y
