# SPDX-License-Identifier: MIT
# A parameter is NaN, and no output shows it. expected: parameter weight
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.full((64,), float("nan")))

    def forward(self, x):
        return torch.where(torch.isnan(self.weight), x, x * self.weight)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
