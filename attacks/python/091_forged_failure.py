# SPDX-License-Identifier: MIT
# Tells the judge on the runner's own socket that the runner failed by no fault of the candidate, while it is imported.
# expected: rejected: protocol
import os

import torch
from torch import nn


# magic, version 5, type FAIL, length; stage DEVICE, status 0, no text
frame = [65, 83, 65, 89, 5, 0, 10, 0, 10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
os.write(3, bytes(frame))


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)
