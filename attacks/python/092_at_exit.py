# SPDX-License-Identifier: MIT
# Leaves, and means to change the result on its way out. expected: crash: PYTHON
import atexit
import sys

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        atexit.register(lambda: print("pass"))
        sys.exit(0)
