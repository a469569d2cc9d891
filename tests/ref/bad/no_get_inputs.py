# SPDX-License-Identifier: MIT
# get_inputs is missing. expected: has no function get_inputs
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_init_inputs():
    return []
