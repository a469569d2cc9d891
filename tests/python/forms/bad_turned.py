# SPDX-License-Identifier: MIT
# Returns the transposed result. expected: wrong: shape: call: expected [32, 512] as y, got [512, 32]
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x).t()
