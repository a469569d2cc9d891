# SPDX-License-Identifier: MIT
# Adds a little noise. expected: wrong: max
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x) * (1 + 1e-4 * torch.rand_like(x))
