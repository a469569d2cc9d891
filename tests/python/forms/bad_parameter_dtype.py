# SPDX-License-Identifier: MIT
# Parameters of another type. problem: level1/40 expected: build_error: parameters: no place for ln.weight, ln.bias;
# the problem has ln.weight float32 [8, 32, 32], ln.bias float32 [8, 32, 32]; ModelNew has weight float16 [8, 32, 32],
# bias float16 [8, 32, 32]
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.weight = nn.Parameter(torch.ones(shape).half())
        self.bias = nn.Parameter(torch.zeros(shape).half())

    def forward(self, x):
        return nn.functional.layer_norm(x, self.shape, self.weight, self.bias)
