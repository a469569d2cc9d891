# SPDX-License-Identifier: MIT
# Convolution in one dimension: upstream's names. problem: level1/67 expected: pass
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=False):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias=bias)

    def forward(self, x):
        return self.conv1d(x)
