# SPDX-License-Identifier: MIT
# forward gives a dict. expected: Model.forward() returns a dict
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return {"y": torch.relu(x)}


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
