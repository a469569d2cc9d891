# SPDX-License-Identifier: MIT
# A parameter of another shape. problem: level1/40 expected: build_error: parameters: no place for ln.weight; the
# problem has ln.weight float32 [8, 32, 32], ln.bias float32 [8, 32, 32]; ModelNew has weight float32 [32, 32], bias
# float32 [8, 32, 32]
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.weight = nn.Parameter(torch.ones(shape[1:]))
        self.bias = nn.Parameter(torch.zeros(shape))

    def forward(self, x):
        return nn.functional.layer_norm(x, self.shape, self.weight, self.bias)
