# SPDX-License-Identifier: MIT
# A matrix product in Triton by tl.dot. Its default is TF32, which is wrong here; "ieee" is float32.
# problem: level1/1
# expected: pass
import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, rows, depth, cols, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(1) * M + tl.arange(0, M)[:, None]
    col = tl.program_id(0) * N + tl.arange(0, N)[None, :]
    k = tl.arange(0, K)
    sums = tl.zeros([M, N], tl.float32)
    for start in range(0, depth, K):
        a_k, b_k = start + k[None, :], start + k[:, None]
        a = tl.load(a_ptr + row * depth + a_k, mask=(row < rows) & (a_k < depth), other=0.0)
        b = tl.load(b_ptr + b_k * cols + col, mask=(b_k < depth) & (col < cols), other=0.0)
        sums = tl.dot(a, b, sums, input_precision="ieee")
    tl.store(c_ptr + row * cols + col, sums, mask=(row < rows) & (col < cols))


class ModelNew(nn.Module):
    def forward(self, A, B):
        rows, depth, cols = A.shape[0], A.shape[1], B.shape[1]
        C = torch.empty(rows, cols, dtype=A.dtype, device=A.device)
        grid = (triton.cdiv(cols, 64), triton.cdiv(rows, 64))
        matmul_kernel[grid](A, B, C, rows, depth, cols, M=64, N=64, K=32, num_warps=4)
        return C
