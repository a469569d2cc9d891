# SPDX-License-Identifier: MIT
# Weights that are plain tensors, which a module does not register. problem: level1/40 expected: build_error:
# parameters: no place for ln.weight, ln.bias; the problem has ln.weight float32 [8, 32, 32], ln.bias float32 [8, 32,
# 32]; ModelNew has none
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape, self.weight, self.bias = shape, torch.ones(shape), torch.zeros(shape)

    def forward(self, x):
        return nn.functional.layer_norm(x, self.shape, self.weight, self.bias)
