# SPDX-License-Identifier: MIT
# A class that is no module can have no parameters. problem: level1/40 expected: build_error: parameters: no place for
# ln.weight, ln.bias; the problem has ln.weight float32 [8, 32, 32], ln.bias float32 [8, 32, 32]; ModelNew has none
from torch import nn


class ModelNew:
    def __init__(self, shape):
        self.ln = nn.LayerNorm(shape)

    def forward(self, x):
        return self.ln(x)
