# SPDX-License-Identifier: MIT
# Moves its input to a GPU on the CPU device. expected: crash: PYTHON
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x.cuda()).cpu()
