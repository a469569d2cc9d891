# SPDX-License-Identifier: MIT
# Two results in a tuple. problem: two_outputs.lua expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x), x.abs()
