# SPDX-License-Identifier: MIT
# It imports a module that nobody has. expected: there is no module nowhere_to_be_found
import torch
import torch.nn as nn
import nowhere_to_be_found


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
