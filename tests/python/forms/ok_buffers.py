# SPDX-License-Identifier: MIT
# Buffers in the place of parameters. problem: level1/40 expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.register_buffer("weight", torch.ones(shape))
        self.register_buffer("bias", torch.zeros(shape))

    def forward(self, x):
        return nn.functional.layer_norm(x, self.shape, self.weight, self.bias)
