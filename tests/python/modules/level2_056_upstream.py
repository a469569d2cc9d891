# SPDX-License-Identifier: MIT
# Matmul, sigmoid, sum: upstream's names. problem: level2/56 expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.linear = nn.Linear(input_size, hidden_size)

    def forward(self, x):
        return torch.sum(torch.sigmoid(self.linear(x)), dim=1, keepdim=True)
