# SPDX-License-Identifier: MIT
# Folds the factor behind convolution and batch norm into the norm. problem: level2/73 fixed: pass expected: wrong:
# stale_weights
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, scaling_factor):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.bn = nn.BatchNorm2d(out_channels)
        self.register_buffer("gain", self.bn.weight.detach() * scaling_factor)
        self.register_buffer("shift", self.bn.bias.detach() * scaling_factor)

    def forward(self, x):
        return F.batch_norm(self.conv(x), None, None, self.gain, self.shift, training=True, eps=self.bn.eps)
