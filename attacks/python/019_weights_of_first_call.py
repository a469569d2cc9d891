# SPDX-License-Identifier: MIT
# Keeps the weights that the first call had. problem: level1/40 expected: wrong: stale_weights
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.ln = nn.LayerNorm(shape)
        self.kept = None

    def forward(self, x):
        if self.kept is None:
            self.kept = self.ln.weight.clone(), self.ln.bias.clone()
        return nn.functional.layer_norm(x, self.ln.normalized_shape, *self.kept)
