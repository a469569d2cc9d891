# SPDX-License-Identifier: MIT
# Honest: has its weights as buffers, in another order, and one buffer more that is its own. problem: level1/40
# expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.ln = nn.Module()
        self.register_buffer("scale", torch.ones(1))
        self.ln.register_buffer("bias", torch.zeros(shape))
        self.ln.register_buffer("weight", torch.ones(shape))

    def forward(self, x):
        return nn.functional.layer_norm(x, self.shape, self.ln.weight, self.ln.bias) * self.scale
