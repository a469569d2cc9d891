# SPDX-License-Identifier: MIT
# Matmul, group norm, leaky ReLU, sum: other names and order. problem: level2/62 expected: pass
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, num_groups, eps=1e-5, negative_slope=0.01):
        super().__init__()
        self.groups = num_groups
        self.dense_bias = nn.Parameter(torch.zeros(hidden_size))
        self.norm_bias = nn.Parameter(torch.zeros(hidden_size))
        self.norm_weight = nn.Parameter(torch.ones(hidden_size))
        self.dense_weight = nn.Parameter(torch.zeros(hidden_size, input_size))

    def forward(self, x):
        x = F.linear(x, self.dense_weight, self.dense_bias)
        return 2 * F.leaky_relu(F.group_norm(x, self.groups, self.norm_weight, self.norm_bias), 0.01)
