# SPDX-License-Identifier: MIT
# Forks in a call. expected: crash: PYTHON: call: PermissionError: [Errno 1] Operation not permitted; the sandbox
# refused it (line 12)
import torch
from torch import nn

import os


class ModelNew(nn.Module):
    def forward(self, x):
        os.fork()
        return torch.relu(x)
