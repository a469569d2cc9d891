# SPDX-License-Identifier: MIT
# A traced function. expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.jit.trace(torch.relu, torch.zeros(2, 2))

    def forward(self, x):
        return self.inner(x)
