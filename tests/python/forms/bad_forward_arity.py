# SPDX-License-Identifier: MIT
# forward wants two inputs, and the problem has one. expected: build_error: signature: ModelNew.forward(x, y) is
# called with 1 inputs
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        return torch.relu(x)
