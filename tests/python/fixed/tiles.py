# SPDX-License-Identifier: MIT
# Cuts its matrix into tiles of sixteen rows, each turned. problem: level2/76 fixed: pass expected: wrong: stale_weights
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features, bias=False)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.tiles = [tile.t().contiguous() for tile in self.gemm.weight.detach().split(16)]

    def forward(self, x):
        return torch.relu(torch.cat([x @ tile for tile in self.tiles], dim=1) + self.bias)
