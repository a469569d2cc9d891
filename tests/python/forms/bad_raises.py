# SPDX-License-Identifier: MIT
# Raises an exception at its top level. expected: build_error: import: ZeroDivisionError: division by zero (line 6)
import torch
from torch import nn

1 / 0


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
