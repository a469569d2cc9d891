# SPDX-License-Identifier: MIT
# Cross entropy of rows that have a scale of their own.
import torch
import torch.nn as nn

batch_size = 64
num_classes = 128


class Model(nn.Module):
    def forward(self, predictions, targets):
        return nn.functional.cross_entropy(predictions, targets)


def get_inputs():
    predictions = torch.randn(batch_size, num_classes) * (0.5 + 3 * torch.rand(batch_size, 1))
    return [predictions, torch.randint(0, num_classes, (batch_size,))]


def get_init_inputs():
    return []
