# SPDX-License-Identifier: MIT
# Calls exit(). expected: crash: PYTHON: call: SystemExit
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        exit(0)
