# SPDX-License-Identifier: MIT
# The class has another name. expected: has no class Model
import torch
import torch.nn as nn


class Network(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
