# SPDX-License-Identifier: MIT
# Deep and narrow perceptron: upstream's names. problem: level3/3 expected: pass
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_layer_sizes, output_size):
        super().__init__()
        layers, width = [], input_size
        for size in hidden_layer_sizes:
            layers += [nn.Linear(width, size), nn.ReLU()]
            width = size
        self.network = nn.Sequential(*layers, nn.Linear(width, output_size))

    def forward(self, x):
        return self.network(x)
