# SPDX-License-Identifier: MIT
# Raises in its third call. expected: crash: PYTHON: call: RuntimeError: the third call
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls == 3:
            raise RuntimeError("the third call")
        return torch.relu(x)
