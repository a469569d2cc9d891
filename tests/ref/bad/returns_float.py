# SPDX-License-Identifier: MIT
# forward gives a plain number. expected: Model.forward() returns a float
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return float(x.sum())


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
