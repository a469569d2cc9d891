# SPDX-License-Identifier: MIT
# Draws the input again, from the seed that harnesses like to use. expected: wrong: max
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        torch.manual_seed(42)
        return torch.relu(torch.randn_like(x))
