# SPDX-License-Identifier: MIT
# Leaves its process group, so as not to be killed with it. expected: rejected: sandbox
import os

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        os.setsid()
        return torch.relu(x)
