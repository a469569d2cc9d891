# SPDX-License-Identifier: MIT
# Fire module: other names and order. problem: level3/17 expected: pass
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, squeeze_channels, expand1x1_channels, expand3x3_channels):
        super().__init__()
        self.wide = nn.ModuleList([nn.Conv2d(squeeze_channels, expand1x1_channels, 1), nn.Conv2d(squeeze_channels, expand3x3_channels, 3, padding=1)])
        self.narrow = nn.Conv2d(in_channels, squeeze_channels, 1)

    def forward(self, x):
        x = F.relu(self.narrow(x))
        return F.relu(torch.cat([layer(x) for layer in self.wide], 1))
