# SPDX-License-Identifier: MIT
# Starts a program at import. expected: build_error: import: PermissionError: [Errno 1] Operation not permitted; the
# sandbox refused it (line 9)
import torch
from torch import nn

import subprocess

subprocess.check_output(["nvcc", "--version"])


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
