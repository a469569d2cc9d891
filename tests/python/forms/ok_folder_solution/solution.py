# SPDX-License-Identifier: MIT
# A folder with solution.py, KernelBench-Hard's form; the other file defines an entry, too. expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
