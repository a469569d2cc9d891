# SPDX-License-Identifier: MIT
# Parameters in a ParameterDict. problem: level1/40 expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.p = nn.ParameterDict({"w": nn.Parameter(torch.ones(shape)), "b": nn.Parameter(torch.zeros(shape))})

    def forward(self, x):
        return nn.functional.layer_norm(x, self.shape, self.p["w"], self.p["b"])
