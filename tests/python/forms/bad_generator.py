# SPDX-License-Identifier: MIT
# Is a generator. expected: wrong: type: call: expected a torch.Tensor as y, got generator
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        yield torch.relu(x)
