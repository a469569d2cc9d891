# SPDX-License-Identifier: MIT
# forward forgets self. expected: crash: PYTHON: call: TypeError
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward():
        return torch.zeros(1)
