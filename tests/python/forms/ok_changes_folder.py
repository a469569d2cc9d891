# SPDX-License-Identifier: MIT
# Changes to its own folder. expected: pass
import torch
from torch import nn

import os

os.chdir(os.path.dirname(__file__))
open(os.path.basename(__file__)).close()


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
