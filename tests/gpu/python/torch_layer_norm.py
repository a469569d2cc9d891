# SPDX-License-Identifier: MIT
# Layer norm in plain torch, with upstream's constructor and names.
# problem: level1/40
# expected: pass
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape=normalized_shape)

    def forward(self, x):
        return self.ln(x)
