# SPDX-License-Identifier: MIT
# Batch norm: upstream's names. problem: level1/33 expected: pass
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features)

    def forward(self, x):
        return self.bn(x)
