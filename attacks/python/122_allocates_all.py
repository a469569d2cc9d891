# SPDX-License-Identifier: MIT
# Asks for a tebibyte. expected: crash: PYTHON or crash: memory
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x) + torch.ones(1 << 38).sum()
