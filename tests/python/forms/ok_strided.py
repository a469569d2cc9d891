# SPDX-License-Identifier: MIT
# A result that is every second row of a larger tensor. expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        larger = torch.empty(2 * x.shape[0], x.shape[1])
        larger[::2] = torch.relu(x)
        return larger[::2]
