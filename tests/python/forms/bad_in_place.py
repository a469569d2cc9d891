# SPDX-License-Identifier: MIT
# Writes to its input. expected: crash: SIGSEGV: call: ended by SIGSEGV (Segmentation fault)
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.relu_()
