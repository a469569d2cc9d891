# SPDX-License-Identifier: MIT
# Forks without end. That is refused; had it worked, the call would fail. expected: pass
import os

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        try:
            os.fork()
        except OSError:
            return torch.relu(x)
        raise RuntimeError("there are two of us now")
