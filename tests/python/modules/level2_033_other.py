# SPDX-License-Identifier: MIT
# Matmul, scale, batch norm: other names and order. problem: level2/33 expected: pass
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, scale_shape, eps=1e-5, momentum=0.1):
        super().__init__()
        self.a_bias = nn.Parameter(torch.zeros(out_features))
        self.a_scale = nn.Parameter(torch.randn(scale_shape))
        self.a_weight = nn.Parameter(torch.zeros(out_features, in_features))
        self.b = nn.BatchNorm1d(out_features)

    def forward(self, x):
        return self.b(F.linear(x, self.a_weight, self.a_bias) * self.a_scale)
