# SPDX-License-Identifier: MIT
# Raises an exception. expected: crash: PYTHON: call: ValueError: no (line 9)
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        raise ValueError("no")
