# SPDX-License-Identifier: MIT
# RMS norm over channels.
import torch
import torch.nn as nn

batch_size = 2
features = 32
width = 24


class Model(nn.Module):
    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.num_features = num_features
        self.eps = eps

    def forward(self, x):
        rms = torch.sqrt(torch.mean(x ** 2, dim=1, keepdim=True) + self.eps)
        return x / rms


def get_inputs():
    return [torch.randn(batch_size, features, width, width) * (0.1 + torch.rand(batch_size, 1, width, width))]


def get_init_inputs():
    return [features]
