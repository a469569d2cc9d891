# SPDX-License-Identifier: MIT
# Writes to its input, which is read-only memory.
# problem: level1/19
# expected: crash: CUDA_ERROR_ILLEGAL_ADDRESS
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.relu_()
