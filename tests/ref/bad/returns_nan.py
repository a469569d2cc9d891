# SPDX-License-Identifier: MIT
# forward gives NaN. expected: output 0 has NaN in it
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.log(-torch.abs(x) - 1)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
