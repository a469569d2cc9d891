# SPDX-License-Identifier: MIT
# Starts a program in a call. expected: crash: program: call: wanted true in a call; compilers run in the rehearsal only
# (line 12)
import torch
from torch import nn

import subprocess


class ModelNew(nn.Module):
    def forward(self, x):
        subprocess.run(["true"])
        return torch.relu(x)
