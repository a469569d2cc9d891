# SPDX-License-Identifier: MIT
# ReLU of numbers that are never negative: a copy of the input passes, so admission refuses it.
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.rand(32, 512)]


def get_init_inputs():
    return []
