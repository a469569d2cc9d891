# SPDX-License-Identifier: MIT
# A linear layer, scaled, added to itself, clamped; logsumexp of each row, times its mish.
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 64
input_size = 96
hidden_size = 80
scale_factor = 2.0
clamp_min = -10.0
clamp_max = 10.0


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, scale_factor, clamp_min, clamp_max):
        super().__init__()
        self.matmul = nn.Linear(input_size, hidden_size)
        self.scale_factor = scale_factor
        self.clamp_min = clamp_min
        self.clamp_max = clamp_max

    def forward(self, x):
        x = self.matmul(x)
        x = x * self.scale_factor
        x = x + x
        x = torch.clamp(x, self.clamp_min, self.clamp_max)
        x = torch.logsumexp(x, dim=1, keepdim=True)
        x = x * F.mish(x)
        return x


def get_inputs():
    return [torch.randn(batch_size, input_size) * (0.5 + 2 * torch.rand(batch_size, 1))]


def get_init_inputs():
    return [input_size, hidden_size, scale_factor, clamp_min, clamp_max]
