# SPDX-License-Identifier: MIT
# Asks for a program's version at import, and goes on when none may be started. expected: pass
import torch
from torch import nn

import subprocess

try:
    VERSION = subprocess.run(["gcc", "--version"], capture_output=True).stdout
except OSError:
    VERSION = None


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
