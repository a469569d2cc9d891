# SPDX-License-Identifier: MIT
# Matmul, sigmoid, residual: other names and order. problem: level2/70 expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, scaling_factor):
        super().__init__()
        self.factor = scaling_factor
        self.net = nn.Sequential(nn.Identity(), nn.Linear(input_size, hidden_size))

    def forward(self, x):
        x = self.net(x)
        return torch.addcmul(x, torch.sigmoid(x), torch.full_like(x, self.factor))
