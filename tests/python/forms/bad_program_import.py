# SPDX-License-Identifier: MIT
# Starts a program at import. expected: build_error: rehearsal: wants true when it is imported; only the rehearsal can
# start programs (line 9)
import torch
from torch import nn

import subprocess

subprocess.check_output(["true", "--version"])


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
