# SPDX-License-Identifier: MIT
# ReLU in Triton whose configurations have a pre_hook: it sets the output to zero before every launch, and the kernel
# stores positive elements alone. Triton never keeps the choice among such configurations in a file.
# problem: level1/19
# expected: pass
import torch
import triton
import triton.language as tl
from torch import nn


def clear(args):
    args["y_ptr"].zero_()


CONFIGS = [triton.Config({"BLOCK": block}, num_warps=4, pre_hook=clear) for block in (512, 1024, 2048)]


@triton.autotune(configs=CONFIGS, key=["n"])
@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside, other=0.0)
    tl.store(y_ptr + at, x, mask=inside & (x > 0.0))


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel()
        relu_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
        return y
