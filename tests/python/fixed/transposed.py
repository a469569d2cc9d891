# SPDX-License-Identifier: MIT
# Turns its matrix, for a product without a transposition. problem: level2/12 fixed: pass expected: wrong: stale_weights
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.turned = self.gemm.weight.detach().t().contiguous()
        self.offset = self.gemm.bias.detach().clone()
        self.multiplier, self.negative_slope = multiplier, negative_slope

    def forward(self, x):
        return F.leaky_relu(torch.addmm(self.offset, x, self.turned) * self.multiplier, self.negative_slope)
