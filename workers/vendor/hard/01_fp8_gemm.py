# SPDX-License-Identifier: MIT
"""cuBLASLt's fp8 GEMM with a scale per row and fast accumulation. It wants K in multiples of 16, so K = 4127 is padded
in the call, as every caller with such a shape would have to."""
import torch
import torch.nn.functional as F

ONES = {}  # the scale of x: there is none


def padded(x):
    # torch pads bytes, not fp8; a byte of 0 is a zero.
    return F.pad(x.view(torch.uint8), (0, -K % 16)).view(x.dtype) if K % 16 else x


def run(x, w, scale):
    if x.device not in ONES:
        ONES[x.device] = torch.ones(M, 1, device=x.device)
    return torch._scaled_mm(padded(x), padded(w).t(), scale_a=ONES[x.device], scale_b=scale.view(1, N),
                            out_dtype=torch.bfloat16, use_fast_accum=True)
