# SPDX-License-Identifier: MIT
# A second process is started at import, and stays. expected: PermissionError
import os

import torch
import torch.nn as nn

if os.fork() == 0:
    while True:
        pass


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
