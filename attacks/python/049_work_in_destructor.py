# SPDX-License-Identifier: MIT
# Hands out memory that is filled when the next result replaces it, after the call. expected: wrong: max or wrong: nonfinite
import torch
from torch import nn


class Later:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __del__(self):
        self.y.copy_(torch.relu(self.x))


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        self.__dict__["later"] = Later(x, y)
        return y
