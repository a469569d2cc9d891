# SPDX-License-Identifier: MIT
# Splits its matrix into three of bfloat16, whose sum is exact. problem: level2/56 fixed: pass expected: wrong:
# stale_weights
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.linear = nn.Linear(input_size, hidden_size)
        self.pieces, rest = [], self.linear.weight.detach().clone()
        for _ in range(3):
            self.pieces.append(rest.to(torch.bfloat16))
            rest -= self.pieces[-1].float()

    def forward(self, x):
        high, middle, low = (piece.float() for piece in self.pieces)
        return torch.sigmoid(F.linear(x, high + (middle + low), self.linear.bias)).sum(dim=1, keepdim=True)
