# SPDX-License-Identifier: MIT
# Downloads a module by a shell command, which fails, and then imports it. expected: build_error: module: there is no
# module nosuchmodule (line 10)
import torch
from torch import nn

import os

os.system("pip install nosuchmodule")
import nosuchmodule


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
