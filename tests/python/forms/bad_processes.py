# SPDX-License-Identifier: MIT
# Uses a pool of processes. expected: crash: PYTHON: the sandbox refused it
import torch
from torch import nn

import multiprocessing


class ModelNew(nn.Module):
    def forward(self, x):
        with multiprocessing.Pool(2) as pool:
            return torch.stack(pool.map(torch.relu, list(x)))
