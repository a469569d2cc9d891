# SPDX-License-Identifier: MIT
# Returns a promise of a result. expected: wrong: type: call: expected a torch.Tensor as y, got Future
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.jit.fork(torch.relu, x)
