# SPDX-License-Identifier: MIT
# Turns the matrices of all layers. problem: level3/1 fixed: pass expected: wrong: stale_weights
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, input_size, layer_sizes, output_size):
        super().__init__()
        layers, width = [], input_size
        for size in layer_sizes:
            layers += [nn.Linear(width, size), nn.ReLU()]
            width = size
        self.network = nn.Sequential(*layers, nn.Linear(width, output_size))
        linear = [layer for layer in self.network if isinstance(layer, nn.Linear)]
        self.packed = [(layer.bias.detach().clone(), layer.weight.detach().t().contiguous()) for layer in linear]

    def forward(self, x):
        for bias, matrix in self.packed[:-1]:
            x = torch.relu(torch.addmm(bias, x, matrix))
        return torch.addmm(self.packed[-1][0], x, self.packed[-1][1])
