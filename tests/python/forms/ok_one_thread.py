# SPDX-License-Identifier: MIT
# Sets torch's number of threads. expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        torch.set_num_threads(1)
        return torch.relu(x)
