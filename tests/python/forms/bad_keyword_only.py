# SPDX-License-Identifier: MIT
# The constructor wants an argument by its name. problem: level1/40 expected: build_error: signature: ModelNew(*,
# shape) is called with 1 arguments: (8, 32, 32)
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, *, shape):
        super().__init__()

    def forward(self, x):
        return x
