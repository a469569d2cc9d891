# SPDX-License-Identifier: MIT
# Honest, and waits for the device inside its call, so that it cannot be held.
# problem: level1/19
# expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.relu(x)
        torch.cuda.synchronize()
        return y
