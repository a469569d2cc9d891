# SPDX-License-Identifier: MIT
# Multiplies matrices that do not fit. expected: crash: PYTHON: call: RuntimeError
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x @ x
