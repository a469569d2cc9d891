# SPDX-License-Identifier: MIT
# Softmax over rows, each with a scale of its own.
import torch
import torch.nn as nn

batch_size = 32
dim = 512


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=1)


def get_inputs():
    return [torch.randn(batch_size, dim) * (0.5 + 3 * torch.rand(batch_size, 1))]


def get_init_inputs():
    return []
