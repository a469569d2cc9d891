# SPDX-License-Identifier: MIT
# Returns the result as one row. expected: wrong: shape: call: expected [32, 512] as y, got [16384]
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x).flatten()
