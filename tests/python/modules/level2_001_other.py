# SPDX-License-Identifier: MIT
# Convolution, ReLU, bias: other names and order. problem: level2/1 expected: pass
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias_shape):
        super().__init__()
        self.first = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.second = nn.ParameterList([nn.Parameter(torch.randn(bias_shape))])

    def forward(self, x):
        return F.relu(self.first(x)) + self.second[0]
