# SPDX-License-Identifier: MIT
# forward is a coroutine. expected: wrong: type: call: expected a torch.Tensor as y, got coroutine
import torch
from torch import nn


class ModelNew(nn.Module):
    async def forward(self, x):
        return torch.relu(x)
