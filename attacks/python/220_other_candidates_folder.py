# SPDX-License-Identifier: MIT
# Looks for the folders of other candidates and of the judge. There is one folder, its own. expected: pass
import os

import torch
from torch import nn


if os.listdir("/dev/shm") != ["candidate"] or os.listdir("/dev/shm/candidate") != [os.path.basename(__file__)]:
    raise RuntimeError(f"found {os.listdir('/dev/shm')}")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
