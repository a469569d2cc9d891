# SPDX-License-Identifier: MIT
# The constructor wants a GPU on the CPU device. expected: build_error: construct
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("zero", torch.zeros(1, device="cuda"))

    def forward(self, x):
        return torch.maximum(x, self.zero)
