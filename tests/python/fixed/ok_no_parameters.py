# SPDX-License-Identifier: MIT
# There is nothing to fix. problem: level1/19 fixed: pass expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
