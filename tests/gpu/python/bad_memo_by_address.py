# SPDX-License-Identifier: MIT
# Remembers results by the address of the input, not by what is there.
# problem: level1/19
# expected: wrong: max
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.memo = {}

    def forward(self, x):
        if x.data_ptr() not in self.memo:
            self.memo[x.data_ptr()] = torch.relu(x)
        return self.memo[x.data_ptr()]
