# SPDX-License-Identifier: MIT
# A function in TorchScript. expected: pass
import torch
from torch import nn


@torch.jit.script
def relu(x):
    return torch.relu(x)


class ModelNew(nn.Module):
    def forward(self, x):
        return relu(x)
