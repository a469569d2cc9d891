# SPDX-License-Identifier: MIT
# Matmul, sigmoid, sum: other names and order. problem: level2/56 expected: pass
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.fc_bias = nn.Parameter(torch.zeros(hidden_size))
        self.fc_weight = nn.Parameter(torch.zeros(hidden_size, input_size))

    def forward(self, x):
        return F.linear(x, self.fc_weight, self.fc_bias).sigmoid().sum(1, True)
