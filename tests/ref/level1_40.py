# SPDX-License-Identifier: MIT
# Layer norm over channels and space.
import torch
import torch.nn as nn

batch_size = 4
features = 8
width = 32


class Model(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape=normalized_shape)

    def forward(self, x):
        return self.ln(x)


def get_inputs():
    return [torch.randn(batch_size, features, width, width) * 2 + 1]


def get_init_inputs():
    return [(features, width, width)]
