# SPDX-License-Identifier: MIT
# Returns another shape in its second call. expected: wrong: shape: call: expected [32, 512] as y, got [31, 512]
import torch
from torch import nn

CALLS = []


class ModelNew(nn.Module):
    def forward(self, x):
        CALLS.append(None)
        return torch.relu(x)[: x.shape[0] + 1 - len(CALLS)]
