# SPDX-License-Identifier: MIT
# Makes a matrix of a kernel of one pixel. problem: level1/87 fixed: pass expected: wrong: stale_weights
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, bias=False):
        super().__init__()
        self.conv1d = nn.Conv2d(in_channels, out_channels, kernel_size=1, bias=bias)
        self.matrix = self.conv1d.weight.detach()[:, :, 0, 0].clone()

    def forward(self, x):
        return (self.matrix @ x.flatten(2)).view(len(x), -1, *x.shape[2:])
