# SPDX-License-Identifier: MIT
# Ends the process with the status of success. expected: crash: exited
import os

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        os._exit(0)
