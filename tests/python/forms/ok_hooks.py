# SPDX-License-Identifier: MIT
# A forward hook that replaces the result. expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_forward_hook(lambda module, args, result: torch.relu(result))

    def forward(self, x):
        return x.clone()
