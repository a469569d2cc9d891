# SPDX-License-Identifier: MIT
# Keeps a copy of its weights by their addresses, which come again with other weights. problem: level1/40 expected:
# wrong: stale_weights
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.ln = nn.LayerNorm(shape)
        self.kept = {}

    def forward(self, x):
        key = self.ln.weight.data_ptr(), self.ln.bias.data_ptr()
        if key not in self.kept:
            self.kept[key] = self.ln.weight.clone(), self.ln.bias.clone()
        return nn.functional.layer_norm(x, self.ln.normalized_shape, *self.kept[key])
