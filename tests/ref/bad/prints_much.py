# SPDX-License-Identifier: MIT
# The import prints 100 MB. expected: the reference printed 100.0 MB, and may print 1.0 MB
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
