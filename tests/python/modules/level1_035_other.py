# SPDX-License-Identifier: MIT
# Group norm: other names and order. problem: level1/35 expected: pass
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, num_features, num_groups):
        super().__init__()
        self.groups = num_groups
        self.beta = nn.Parameter(torch.zeros(num_features))
        self.gamma = nn.Parameter(torch.ones(num_features))

    def forward(self, x):
        return F.group_norm(x, self.groups, self.gamma, self.beta)
