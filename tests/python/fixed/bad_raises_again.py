# SPDX-License-Identifier: MIT
# Raises when it is constructed again. problem: level1/40 fixed: build_error: construct: RuntimeError: there is one
# already (line 14) expected: pass
from torch import nn


class ModelNew(nn.Module):
    made = False

    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)
        if ModelNew.made:
            raise RuntimeError("there is one already")
        ModelNew.made = True

    def forward(self, x):
        return self.ln(x)
