# SPDX-License-Identifier: MIT
# The result lies in the memory of the host.
# problem: level1/19
# expected: wrong: type
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x).cpu()
