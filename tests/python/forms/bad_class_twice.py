# SPDX-License-Identifier: MIT
# Two classes of the same name. expected: build_error: load: ModelNew is defined twice in bad_class_twice.py
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
