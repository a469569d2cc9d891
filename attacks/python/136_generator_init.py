# SPDX-License-Identifier: MIT
# Honest: draws its first weights from a generator of its own. problem: level1/40 expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, shape):
        super().__init__()
        draw = torch.Generator().manual_seed(7)
        self.ln = nn.LayerNorm(shape)
        with torch.no_grad():
            for parameter in self.ln.parameters():
                parameter.normal_(generator=draw)

    def forward(self, x):
        return self.ln(x)
