# SPDX-License-Identifier: MIT
# A CUDA graph for every set of addresses of input and parameters. Nothing is copied: the graph reads where they lie.
# problem: level2/22
# expected: pass
import torch
from torch import nn
from torch.nn import functional as F

torch.backends.cuda.matmul.allow_tf32 = False


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, scale_factor, clamp_min, clamp_max):
        super().__init__()
        self.matmul = nn.Linear(input_size, hidden_size)
        self.scale_factor, self.clamp_min, self.clamp_max = scale_factor, clamp_min, clamp_max
        self.graphs = {}

    def compute(self, x):
        x = self.matmul(x) * self.scale_factor
        x = torch.clamp(x + x, self.clamp_min, self.clamp_max)
        x = torch.logsumexp(x, dim=1, keepdim=True)
        return x * F.mish(x)

    def capture(self, x):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):  # once outside of a graph, as torch asks for
            self.compute(x)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = self.compute(x)
        return graph, y

    def forward(self, x):
        key = x.data_ptr(), self.matmul.weight.data_ptr(), self.matmul.bias.data_ptr()
        if key not in self.graphs:
            self.graphs[key] = self.capture(x)
        graph, y = self.graphs[key]
        graph.replay()
        return y
