# SPDX-License-Identifier: MIT
# Calls itself without end at import. expected: build_error: import: RecursionError
import torch
from torch import nn


def f():
    return f()


f()


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
