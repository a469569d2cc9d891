# SPDX-License-Identifier: MIT
# Every call gives another answer, because forward counts calls. expected: Model.forward() answers otherwise when it is called again
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * self.calls


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
