# SPDX-License-Identifier: MIT
# Writes a frame of its own to the judge's socket while it is imported. expected: rejected: protocol
import os

import torch
from torch import nn


os.write(3, b"ASAY" + bytes(60))


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)
