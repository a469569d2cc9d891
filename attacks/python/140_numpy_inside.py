# SPDX-License-Identifier: MIT
# Honest: does a part of its work in numpy, on the same memory. device: cpu expected: pass
import numpy
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.from_numpy(numpy.maximum(x.numpy(), numpy.float32(0)))
