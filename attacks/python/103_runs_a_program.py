# SPDX-License-Identifier: MIT
# Starts a program in its call. That is refused; had one run, the call would fail. expected: pass
import subprocess

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        try:
            subprocess.run(["/bin/true"], check=False)
        except OSError:
            return torch.relu(x)
        raise RuntimeError("a program ran")
