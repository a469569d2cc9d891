# SPDX-License-Identifier: MIT
# forward never ends. expected: the reference took over 4 s (--build-timeout)
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        while True:
            pass


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
