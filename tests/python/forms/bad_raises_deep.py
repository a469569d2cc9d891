# SPDX-License-Identifier: MIT
# A library raises the exception, the file's own line is named. expected: build_error: import: RuntimeError: shape
# '[3]' is invalid for input of size 2 (line 9)
import torch
from torch import nn


def make():
    return torch.zeros(2).view(3)


make()


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
