# SPDX-License-Identifier: MIT
# A graph of torch.fx. expected: pass
import torch
from torch import nn

import torch.fx


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.fx.symbolic_trace(nn.ReLU())

    def forward(self, x):
        return self.inner(x)
