# SPDX-License-Identifier: MIT
# Group norm: upstream's names. problem: level1/35 expected: pass
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, num_features, num_groups):
        super().__init__()
        self.gn = nn.GroupNorm(num_groups=num_groups, num_channels=num_features)

    def forward(self, x):
        return self.gn(x)
