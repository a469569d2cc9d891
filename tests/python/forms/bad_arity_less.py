# SPDX-License-Identifier: MIT
# The constructor takes no argument, and the problem gives one. problem: level1/40 expected: build_error: signature:
# ModelNew() is called with 1 arguments: (8, 32, 32)
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln = nn.LayerNorm((8, 32, 32))

    def forward(self, x):
        return self.ln(x)
