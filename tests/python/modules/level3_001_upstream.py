# SPDX-License-Identifier: MIT
# Multilayer perceptron: upstream's names. problem: level3/1 expected: pass
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, input_size, layer_sizes, output_size):
        super().__init__()
        layers, width = [], input_size
        for size in layer_sizes:
            layers += [nn.Linear(width, size), nn.ReLU()]
            width = size
        self.network = nn.Sequential(*layers, nn.Linear(width, output_size))

    def forward(self, x):
        return self.network(x)
