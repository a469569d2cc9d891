# SPDX-License-Identifier: MIT
# Keeps a copy of its weights by their versions, and replaces our own function that raises versions by one that does
# not. The weights change all the same. problem: level1/40 expected: wrong: stale_weights
import sys

import torch
from torch import nn


sys.modules["assay_python.calls"].version_raiser = lambda tensors: lambda: None


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
