# SPDX-License-Identifier: MIT
# The import prints 100 MB. expected: printed more than
import torch
import torch.nn as nn

for _ in range(100):
    print("x" * 1000000)


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
