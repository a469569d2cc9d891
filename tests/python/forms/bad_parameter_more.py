# SPDX-License-Identifier: MIT
# Two biases, of which one has no part in the problem; no name says which. problem: level1/40 expected: build_error:
# parameters: no place for ln.weight, ln.bias; the problem has ln.weight float32 [8, 32, 32], ln.bias float32 [8, 32,
# 32]; ModelNew has scale float32 [8, 32, 32], bias_one float32 [8, 32, 32], bias_two float32 [8, 32, 32]
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.scale = nn.Parameter(torch.ones(shape))
        self.bias_one = nn.Parameter(torch.zeros(shape))
        self.bias_two = nn.Parameter(torch.zeros(shape))

    def forward(self, x):
        return nn.functional.layer_norm(x, self.shape, self.scale, self.bias_one)
