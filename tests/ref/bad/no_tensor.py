# SPDX-License-Identifier: MIT
# get_inputs gives numbers only. expected: get_inputs() returns no tensor
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [3, 0.5]


def get_init_inputs():
    return []
