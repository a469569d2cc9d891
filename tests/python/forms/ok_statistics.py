# SPDX-License-Identifier: MIT
# Batch norm keeps running statistics of its own. problem: level1/33 expected: pass
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.norm = nn.BatchNorm2d(num_features)

    def forward(self, x):
        return self.norm(x)
