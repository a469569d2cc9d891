# SPDX-License-Identifier: MIT
# The constructor raises. expected: RuntimeError: Trying to create tensor with negative dimension
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(64, -1))

    def forward(self, x):
        return x * self.weight


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
