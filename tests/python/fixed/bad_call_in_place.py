# SPDX-License-Identifier: MIT
# Scales its own weights in every call: they are in memory of its own, and stay changed. problem: level1/40 fixed:
# wrong: max expected: crash: SIGSEGV
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)

    def forward(self, x):
        self.ln.weight.mul_(1.5)
        return self.ln(x)
