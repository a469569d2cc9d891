# SPDX-License-Identifier: MIT
# Multiplies with a parameter of its own that is NaN. expected: wrong: nonfinite
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.full((1,), float("nan")))

    def forward(self, x):
        return torch.relu(x) * self.scale
