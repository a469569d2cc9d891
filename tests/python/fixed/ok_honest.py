# SPDX-License-Identifier: MIT
# Reads its weights in every call. problem: level1/40 fixed: pass expected: pass
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)

    def forward(self, x):
        return self.ln(x)
