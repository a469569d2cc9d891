# SPDX-License-Identifier: MIT
# A colon is missing. expected: SyntaxError: expected ':' (line 7)
import torch
import torch.nn as nn


class Model(nn.Module)
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
