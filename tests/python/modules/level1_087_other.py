# SPDX-License-Identifier: MIT
# Pointwise convolution: other names and order. problem: level1/87 expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, bias=False):
        super().__init__()
        self.mix = nn.Parameter(torch.empty(out_channels, in_channels, 1, 1))

    def forward(self, x):
        return torch.einsum("bchw,oc->bohw", x, self.mix[:, :, 0, 0])
