# SPDX-License-Identifier: MIT
# The process ends while the file is imported. expected: ended its process (exit 0)
import os

import torch
import torch.nn as nn

os._exit(0)


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
