# SPDX-License-Identifier: MIT
# Uses a name at its top level that is not defined. expected: build_error: import: NameError
import torch
from torch import nn

WIDTH = HEIGHT


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
