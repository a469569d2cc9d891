# SPDX-License-Identifier: MIT
# Sum over the middle axis, which stays.
import torch
import torch.nn as nn

batch_size = 4
rows = 192
columns = 255


class Model(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.sum(x, dim=self.dim, keepdim=True)


def get_inputs():
    return [torch.randn(batch_size, rows, columns) + 0.25]


def get_init_inputs():
    return [1]
