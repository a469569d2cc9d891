# SPDX-License-Identifier: MIT
# Closes all descriptors of its process. expected: crash: exited: loading: the candidate ended its process (exit 0)
import torch
from torch import nn

import os


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        os.closerange(0, 1000)

    def forward(self, x):
        return torch.relu(x)
