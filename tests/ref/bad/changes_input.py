# SPDX-License-Identifier: MIT
# forward changes its input. expected: changes its input
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        x.mul_(2)
        return x + 1


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
