# SPDX-License-Identifier: MIT
# forward gives complex numbers. expected: complex64
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.fft.fft(x)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
