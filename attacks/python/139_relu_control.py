# SPDX-License-Identifier: MIT
# Honest: does the work of the attacks on ReLU whose time counts, into one buffer of its own. expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    out = None

    def forward(self, x):
        if ModelNew.out is None or ModelNew.out.shape != x.shape:
            ModelNew.out = torch.empty_like(x)
        return torch.clamp(x, min=0, out=ModelNew.out)
