# SPDX-License-Identifier: MIT
# Works in every second call only. expected: wrong: max
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        self.calls = getattr(self, "calls", 0) + 1
        if self.calls % 2:
            self.answer = torch.relu(x)
        return self.answer
