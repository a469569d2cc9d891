# SPDX-License-Identifier: MIT
# Pointwise convolution: upstream's names. problem: level1/87 expected: pass
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, bias=False):
        super().__init__()
        self.conv1d = nn.Conv2d(in_channels, out_channels, kernel_size=1, bias=bias)

    def forward(self, x):
        return self.conv1d(x)
