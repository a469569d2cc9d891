# SPDX-License-Identifier: MIT
# A scripted module with parameters. problem: level1/40 fixed: pass expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.inner = torch.jit.script(nn.LayerNorm(shape))

    def forward(self, x):
        return self.inner(x)
