# SPDX-License-Identifier: MIT
# Starts a program in a call. expected: crash: PYTHON: call: PermissionError: [Errno 1] Operation not permitted; the
# sandbox refused it (line 12)
import torch
from torch import nn

import subprocess


class ModelNew(nn.Module):
    def forward(self, x):
        subprocess.run(["true"])
        return torch.relu(x)
