# SPDX-License-Identifier: MIT
# Expects arguments of a command line. expected: build_error: import: IndexError
import torch
from torch import nn

import sys

NAME = sys.argv[7]


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
