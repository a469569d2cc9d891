# SPDX-License-Identifier: MIT
# Batch norm: other names and order. problem: level1/33 expected: pass
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.shift_b = nn.Parameter(torch.zeros(num_features))
        self.scale_w = nn.Parameter(torch.ones(num_features))

    def forward(self, x):
        mean, square = x.mean((0, 2, 3)), x.square().mean((0, 2, 3))
        return F.batch_norm(x, mean, square, self.scale_w, self.shift_b, True)
