# SPDX-License-Identifier: MIT
# Kills its parent. expected: rejected: sandbox
import os
import signal

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        os.kill(os.getppid(), signal.SIGKILL)
        return torch.relu(x)
