# SPDX-License-Identifier: MIT
# A line names a class. expected: pass
import torch
from torch import nn

# assay: entry Fast


class Fast(nn.Module):
    def forward(self, x):
        return torch.relu(x)


class ModelNew(nn.Module):
    def forward(self, x):
        return x
