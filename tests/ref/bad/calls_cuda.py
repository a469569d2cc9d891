# SPDX-License-Identifier: MIT
# forward moves its input to a GPU. expected: cuda
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x.cuda())


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
