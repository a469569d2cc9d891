# SPDX-License-Identifier: MIT
# get_init_inputs gives three arguments, and the constructor takes one. expected: Model(slope) is called with 3
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, slope):
        super().__init__()
        self.slope = slope

    def forward(self, x):
        return nn.functional.leaky_relu(x, self.slope)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return [0.1, 0.2, 0.3]
