# SPDX-License-Identifier: MIT
# Softmax in Triton, a row to a program, in two passes: each lane keeps its largest element and a sum that is scaled
# down when that grows. libdevice has an exact exp; tl.exp is an approximation.
# problem: level1/23
# expected: pass
import torch
import triton
import triton.language as tl
from torch import nn
from triton.language.extra import libdevice


@triton.jit
def softmax_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * n
    lane = tl.arange(0, BLOCK)
    # The least finite float: with -inf an empty lane would compute -inf - -inf.
    largest = tl.full([BLOCK], -3.4028234e38, tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        x = tl.load(x_ptr + row + start + lane, mask=start + lane < n, other=float("-inf"))
        larger = tl.maximum(largest, x)
        total = total * libdevice.exp(largest - larger) + libdevice.exp(x - larger)
        largest = larger
    top = tl.max(largest, axis=0)
    whole = tl.sum(total * libdevice.exp(largest - top), axis=0)
    for start in range(0, n, BLOCK):
        inside = start + lane < n
        x = tl.load(x_ptr + row + start + lane, mask=inside, other=float("-inf"))
        tl.store(y_ptr + row + start + lane, tl.div_rn(libdevice.exp(x - top), whole), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        rows, n = x.shape
        softmax_kernel[(rows,)](x, y, n, BLOCK=2048, num_warps=8)
        return y
