# SPDX-License-Identifier: MIT
# Returns a tuple in a tuple. expected: wrong: type: call: expected a torch.Tensor as y, got a tuple of 1
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return ((torch.relu(x),),)
