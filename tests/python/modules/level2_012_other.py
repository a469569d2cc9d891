# SPDX-License-Identifier: MIT
# Matmul, factor, leaky ReLU: other names and order. problem: level2/12 expected: pass
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.b = nn.Parameter(torch.zeros(out_features))
        self.w = nn.Parameter(torch.zeros(out_features, in_features))
        self.multiplier, self.slope = multiplier, negative_slope

    def forward(self, x):
        return F.leaky_relu(torch.addmm(self.b, x, self.w.t()) * self.multiplier, self.slope)
