# SPDX-License-Identifier: MIT
# Registers the scaled matrix under the name of the first one. problem: level2/33 fixed: pass expected: wrong:
# stale_weights
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, scale_shape, eps=1e-5, momentum=0.1):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.scale = nn.Parameter(torch.randn(scale_shape))
        self.gemm.weight = nn.Parameter(self.gemm.weight * self.scale[:, None])
        self.gemm.bias = nn.Parameter(self.gemm.bias * self.scale)
        self.bn = nn.BatchNorm1d(out_features, eps=eps, momentum=momentum)

    def forward(self, x):
        return self.bn(self.gemm(x))
