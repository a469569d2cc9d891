# SPDX-License-Identifier: MIT
# Makes a matrix of the kernel, for a product with unfolded columns. problem: level1/67 fixed: pass expected: wrong:
# stale_weights
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=False):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, bias=bias)
        self.matrix = self.conv1d.weight.detach().reshape(out_channels, -1).clone()
        self.window = dict(kernel_size=(1, kernel_size), stride=(1, stride), padding=(0, padding), dilation=(1, dilation))

    def forward(self, x):
        return self.matrix @ F.unfold(x.unsqueeze(2), **self.window)
