# SPDX-License-Identifier: MIT
"""Weights unpacked to bf16 and multiplied by cuBLAS, all of it in the call. PyTorch's own int4 GEMM wants its weights in
a layout of its own, made beforehand: they change from call to call here."""
import torch

GROUP = 128


def run(x, w_q, scales, zeros):
    q = torch.stack((w_q & 15, w_q >> 4), dim=1).view(K // GROUP, GROUP, N).bfloat16()
    return x @ ((q - zeros.unsqueeze(1)) * scales.unsqueeze(1)).view(K, N)
