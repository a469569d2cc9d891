# SPDX-License-Identifier: MIT
# The work is done on a second stream that waits for nobody, and nobody waits for it. It sees what the input held
# before.
# problem: level1/19
# expected: wrong
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.side = torch.cuda.Stream()

    def forward(self, x):
        y = torch.empty_like(x)
        with torch.cuda.stream(self.side):
            torch.clamp(x, min=0, out=y)
        return y
