# SPDX-License-Identifier: MIT
# Starts the compiler in every call.
# problem: level1/19
# expected: crash: program or crash: PYTHON
import subprocess

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        subprocess.run(["nvcc", "--version"], check=True)
        return torch.relu(x)
