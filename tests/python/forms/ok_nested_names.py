# SPDX-License-Identifier: MIT
# Parameters two modules deeper. problem: level1/40 expected: pass
from torch import nn


class Inner(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.norm = nn.LayerNorm(shape)

    def forward(self, x):
        return self.norm(x)


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.block = nn.ModuleList([Inner(shape)])

    def forward(self, x):
        return self.block[0](x)
