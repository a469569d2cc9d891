# SPDX-License-Identifier: MIT
# Matmul, scale, residual: other names and order. problem: level2/40 expected: pass
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, scaling_factor):
        super().__init__()
        self.factor = 1 + scaling_factor
        self.dense = nn.ModuleDict({"inner": nn.Linear(in_features, out_features)})

    def forward(self, x):
        return self.dense["inner"](x) * self.factor
