# SPDX-License-Identifier: MIT
# The output has no elements. expected: no elements
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)[:0]


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
