# SPDX-License-Identifier: MIT
# Reads a file that is not its own. expected: build_error: import: PermissionError: [Errno 13] Permission denied:
# '/etc/passwd'; the sandbox refused it (line 7)
import torch
from torch import nn

open("/etc/passwd").read()


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
