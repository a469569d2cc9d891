# SPDX-License-Identifier: MIT
# Stacks weight and bias into one tensor, a buffer of another shape. problem: level1/33 fixed: pass expected: wrong:
# stale_weights
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features)
        self.register_buffer("affine", torch.stack([self.bn.weight, self.bn.bias]).detach())

    def forward(self, x):
        return F.batch_norm(x, None, None, *self.affine.unbind(), training=True, eps=self.bn.eps)
