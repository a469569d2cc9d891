# SPDX-License-Identifier: MIT
# Keeps the kernel in another memory format. problem: level2/1 fixed: pass expected: wrong: stale_weights
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias_shape):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.kernel = self.conv.weight.detach().clone(memory_format=torch.channels_last)

    def forward(self, x):
        x = x.contiguous(memory_format=torch.channels_last)
        return torch.relu(F.conv2d(x, self.kernel, self.conv.bias)) + self.bias
