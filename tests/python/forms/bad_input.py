# SPDX-License-Identifier: MIT
# Returns its input. expected: wrong: max
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x
