# SPDX-License-Identifier: MIT
# Matmul, group norm, swish, factor, swish: other names and order. problem: level2/88 expected: pass
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, num_groups, multiply_weight_shape):
        super().__init__()
        self.groups = num_groups
        self.offset_bias, self.norm_bias = (nn.Parameter(torch.zeros(out_features)) for _ in range(2))
        self.factors, self.norm_gamma = (nn.Parameter(torch.ones(out_features)) for _ in range(2))
        self.matrix = nn.Parameter(torch.zeros(out_features, in_features))

    def forward(self, x):
        x = F.linear(x, self.matrix, self.offset_bias)
        x = F.silu(F.group_norm(x, self.groups, self.norm_gamma, self.norm_bias))
        return F.silu(x * self.factors)
