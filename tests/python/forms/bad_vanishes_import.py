# SPDX-License-Identifier: MIT
# os._exit at import. expected: crash: exited: loading: the candidate ended its process (exit 0)
import torch
from torch import nn

import os

os._exit(0)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
