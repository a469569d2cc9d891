# SPDX-License-Identifier: MIT
# The constructor forgets super().__init__(). problem: level1/40 expected: build_error: construct: AttributeError
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        self.ln = nn.LayerNorm(shape)

    def forward(self, x):
        return self.ln(x)
