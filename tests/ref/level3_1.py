# SPDX-License-Identifier: MIT
# A perceptron of three layers.
import torch
import torch.nn as nn

batch_size = 16
input_size = 128
layer_sizes = [128, 128]
output_size = 64


class Model(nn.Module):
    def __init__(self, input_size, layer_sizes, output_size):
        super().__init__()
        layers = []
        current = input_size
        for size in layer_sizes:
            layers.append(nn.Linear(current, size))
            layers.append(nn.ReLU())
            current = size
        layers.append(nn.Linear(current, output_size))
        self.network = nn.Sequential(*layers)

    def forward(self, x):
        return self.network(x)


def get_inputs():
    return [torch.randn(batch_size, input_size) * 4]


def get_init_inputs():
    return [input_size, layer_sizes, output_size]
