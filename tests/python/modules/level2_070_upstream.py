# SPDX-License-Identifier: MIT
# Matmul, sigmoid, residual: upstream's names. problem: level2/70 expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, scaling_factor):
        super().__init__()
        self.gemm = nn.Linear(input_size, hidden_size)
        self.scaling_factor = scaling_factor

    def forward(self, x):
        x = self.gemm(x)
        return torch.sigmoid(x) * self.scaling_factor + x
