# SPDX-License-Identifier: MIT
# Works in place on its input, which is read-only memory.
# expected: crash: SIGSEGV or crash: CUDA_ERROR_ILLEGAL_ADDRESS
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.relu_()
