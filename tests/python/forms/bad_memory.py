# SPDX-License-Identifier: MIT
# Asks for a terabyte. expected: crash: PYTHON: ... (line 9)
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.empty(1 << 38)
