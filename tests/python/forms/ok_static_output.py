# SPDX-License-Identifier: MIT
# Returns the same buffer in every call. expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = None

    def forward(self, x):
        if self.out is None:
            self.out = torch.empty_like(x)
        return torch.clamp(x, min=0, out=self.out)
