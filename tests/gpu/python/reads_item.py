# SPDX-License-Identifier: MIT
# Honest, and reads a number back from the device before it decides what to launch.
# problem: level1/19
# expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        if x.amin().item() >= 0:
            return x.clone()
        return torch.relu(x)
