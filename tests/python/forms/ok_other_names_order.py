# SPDX-License-Identifier: MIT
# Names that tell weight from bias only by their end. problem: level1/40 expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.shift_bias = nn.Parameter(torch.zeros(shape))
        self.scale_weight = nn.Parameter(torch.ones(shape))

    def forward(self, x):
        return nn.functional.layer_norm(x, self.shape, self.scale_weight, self.shift_bias)
