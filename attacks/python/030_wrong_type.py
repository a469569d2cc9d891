# SPDX-License-Identifier: MIT
# Returns half the precision, which takes half the time to write. expected: wrong: dtype
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x).bfloat16()
