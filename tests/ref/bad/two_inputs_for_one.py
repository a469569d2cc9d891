# SPDX-License-Identifier: MIT
# get_inputs gives two tensors, and forward takes one. expected: forward(x) is called with 2
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(16, 64), torch.randn(16, 64)]


def get_init_inputs():
    return []
