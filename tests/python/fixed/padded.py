# SPDX-License-Identifier: MIT
# Pads matrices with columns of zeros to a multiple of 32. problem: level3/2 fixed: pass expected: wrong: stale_weights
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_layer_sizes, output_size):
        super().__init__()
        layers, width = [], input_size
        for size in hidden_layer_sizes:
            layers += [nn.Linear(width, size), nn.ReLU()]
            width = size
        self.network = nn.Sequential(*layers, nn.Linear(width, output_size))
        linear = [layer for layer in self.network if isinstance(layer, nn.Linear)]
        self.packed = [(self.pad(layer.weight.detach()).clone(), layer.bias.detach().clone()) for layer in linear]

    def pad(self, x):
        return F.pad(x, (0, -x.shape[-1] % 32))

    def forward(self, x):
        for matrix, bias in self.packed[:-1]:
            x = torch.relu(F.linear(self.pad(x), matrix, bias))
        return F.linear(self.pad(x), *self.packed[-1])
