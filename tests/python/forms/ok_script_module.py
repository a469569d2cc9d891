# SPDX-License-Identifier: MIT
# A module in TorchScript. expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.jit.script(nn.ReLU())

    def forward(self, x):
        return self.inner(x)
