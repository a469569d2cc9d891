# SPDX-License-Identifier: MIT
# Keeps the pack alone, so that the problem's matrix has no place. problem: level2/12 fixed: build_error: parameters: no
# place for gemm.weight expected: build_error: parameters: no place for gemm.weight
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        gemm = nn.Linear(in_features, out_features)
        self.register_buffer("turned", gemm.weight.detach().t().contiguous())
        self.bias = gemm.bias
        self.multiplier, self.negative_slope = multiplier, negative_slope

    def forward(self, x):
        return F.leaky_relu((x @ self.turned + self.bias) * self.multiplier, self.negative_slope)
