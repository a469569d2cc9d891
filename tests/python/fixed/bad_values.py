# SPDX-License-Identifier: MIT
# Packs its matrix with an error. problem: level2/12 fixed: wrong: max expected: wrong: max
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.turned = self.gemm.weight.detach().t().contiguous() * 1.01
        self.multiplier, self.negative_slope = multiplier, negative_slope

    def forward(self, x):
        return F.leaky_relu((x @ self.turned + self.gemm.bias) * self.multiplier, self.negative_slope)
