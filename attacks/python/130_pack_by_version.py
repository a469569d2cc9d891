# SPDX-License-Identifier: MIT
# Honest: keeps a packed copy of its weights until their version changes. problem: level1/40 expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.ln = nn.LayerNorm(shape)
        self.key = self.packed = None

    def forward(self, x):
        key = self.ln.weight._version, self.ln.bias._version
        if key != self.key:
            self.key, self.packed = key, (self.ln.weight.clone(), self.ln.bias.clone())
        return nn.functional.layer_norm(x, self.ln.normalized_shape, *self.packed)
