# SPDX-License-Identifier: MIT
# Computes with a copy of its first weights. problem: level1/40 expected: wrong: stale_weights
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.ln = nn.LayerNorm(shape)
        self.kept = [parameter.detach().clone() for parameter in self.ln.parameters()]

    def forward(self, x):
        return nn.functional.layer_norm(x, self.ln.normalized_shape, *self.kept)
