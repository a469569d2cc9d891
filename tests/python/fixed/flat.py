# SPDX-License-Identifier: MIT
# Keeps all weights in one vector, and takes views of it. problem: level3/3 fixed: pass expected: wrong: stale_weights
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
        self.shapes = [p.shape for p in self.network.parameters()]
        self.vector = torch.cat([p.detach().flatten() for p in self.network.parameters()])

    def forward(self, x):
        parts = self.vector.split([shape.numel() for shape in self.shapes])
        parts = [part.view(shape) for part, shape in zip(parts, self.shapes)]
        for i in range(0, len(parts), 2):
            x = F.linear(torch.relu(x) if i else x, parts[i], parts[i + 1])
        return x
