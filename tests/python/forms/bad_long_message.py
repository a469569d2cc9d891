# SPDX-License-Identifier: MIT
# An exception with a text of a million characters and control characters. expected: build_error: import: ValueError
import torch
from torch import nn

raise ValueError("\x1b[31m" + "long " * 200000)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
