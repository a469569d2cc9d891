# SPDX-License-Identifier: MIT
# Forgets the last row. expected: wrong: max
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.relu(x)
        y[-1] = 0
        return y
