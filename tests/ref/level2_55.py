# SPDX-License-Identifier: MIT
# A linear layer, max pool over pairs of features, their sum, scaled.
import torch
import torch.nn as nn

batch_size = 64
in_features = 96
out_features = 80
kernel_size = 2
scale_factor = 0.5


class Model(nn.Module):
    def __init__(self, in_features, out_features, kernel_size, scale_factor):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.max_pool = nn.MaxPool1d(kernel_size)
        self.scale_factor = scale_factor

    def forward(self, x):
        x = self.matmul(x)
        x = self.max_pool(x.unsqueeze(1)).squeeze(1)
        x = torch.sum(x, dim=1)
        x = x * self.scale_factor
        return x


def get_inputs():
    return [torch.randn(batch_size, in_features) * (0.5 + 2 * torch.rand(batch_size, 1))]


def get_init_inputs():
    return [in_features, out_features, kernel_size, scale_factor]
