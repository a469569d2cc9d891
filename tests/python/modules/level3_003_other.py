# SPDX-License-Identifier: MIT
# Deep and narrow perceptron: other names and order. problem: level3/3 expected: pass
import torch
from torch import nn
from torch.nn import functional as F


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_layer_sizes, output_size):
        super().__init__()
        sizes = [input_size, *hidden_layer_sizes, output_size]
        self.b = nn.ParameterList([nn.Parameter(torch.zeros(size)) for size in sizes[1:]])
        self.w = nn.ParameterList([nn.Parameter(torch.zeros(pair[::-1])) for pair in zip(sizes, sizes[1:])])

    def forward(self, x):
        for i, (weight, bias) in enumerate(zip(self.w, self.b)):
            x = F.linear(x if i == 0 else F.relu(x), weight, bias)
        return x
