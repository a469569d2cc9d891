# SPDX-License-Identifier: MIT
# Puts a kernel of one pixel into the middle of a larger one, beside the other kernels. problem: level3/17 fixed: pass
# expected: wrong: stale_weights
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, squeeze_channels, expand1x1_channels, expand3x3_channels):
        super().__init__()
        self.squeeze = nn.Conv2d(in_channels, squeeze_channels, kernel_size=1)
        self.expand1x1 = nn.Conv2d(squeeze_channels, expand1x1_channels, kernel_size=1)
        self.expand3x3 = nn.Conv2d(squeeze_channels, expand3x3_channels, kernel_size=3, padding=1)
        self.joined = torch.cat([F.pad(self.expand1x1.weight, (1, 1, 1, 1)), self.expand3x3.weight]).detach()
        self.offsets = torch.cat([self.expand1x1.bias, self.expand3x3.bias]).detach()

    def forward(self, x):
        return torch.relu(F.conv2d(torch.relu(self.squeeze(x)), self.joined, self.offsets, padding=1))
