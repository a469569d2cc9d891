# SPDX-License-Identifier: MIT
# Parameters by other names, in another order. problem: level1/40 expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.beta = nn.Parameter(torch.zeros(shape))
        self.gamma = nn.Parameter(torch.ones(shape))

    def forward(self, x):
        return nn.functional.layer_norm(x, self.shape, self.gamma, self.beta)
