# SPDX-License-Identifier: MIT
# Refuses the shape that the problem has. expected: crash: PYTHON: call: AssertionError: only 1024 columns
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        assert x.shape[1] == 1024, "only 1024 columns"
        return torch.relu(x)
