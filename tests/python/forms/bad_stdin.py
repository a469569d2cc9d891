# SPDX-License-Identifier: MIT
# Asks for input. expected: build_error: import: EOFError
import torch
from torch import nn

input("which device? ")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
