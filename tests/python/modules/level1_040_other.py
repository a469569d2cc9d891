# SPDX-License-Identifier: MIT
# Layer norm: other names and order. problem: level1/40 expected: pass
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.layer = nn.Module()
        self.layer.register_buffer("b", torch.zeros(normalized_shape))
        self.layer.register_buffer("w", torch.ones(normalized_shape))

    def forward(self, x):
        return F.layer_norm(x, self.layer.w.shape, self.layer.w, self.layer.b)
