# SPDX-License-Identifier: MIT
# get_inputs gives a dict. expected: get_inputs() returns dict, not a list
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return {"x": torch.randn(16, 64)}


def get_init_inputs():
    return []
