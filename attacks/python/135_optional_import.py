# SPDX-License-Identifier: MIT
# Honest: imports what may not be there, and does without. expected: pass
import torch
from torch import nn


try:
    import triton
except ImportError:
    triton = None
try:
    from apex_of_another_project import fused_relu
except Exception:
    fused_relu = None
    pass


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        pass

    def forward(self, x):
        return fused_relu(x) if fused_relu else torch.relu(x)
