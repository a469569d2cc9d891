# SPDX-License-Identifier: MIT
# Returns another result in its third call. expected: wrong: max
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x if self.calls == 3 else torch.relu(x)
