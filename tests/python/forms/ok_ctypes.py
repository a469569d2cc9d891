# SPDX-License-Identifier: MIT
# Computes through ctypes, on the tensors' memory. expected: pass
import torch
from torch import nn

import ctypes

MEMCPY = ctypes.CDLL(None).memcpy
MEMCPY.argtypes = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t


class ModelNew(nn.Module):
    def forward(self, x):
        y, rectified = torch.empty_like(x), torch.relu(x)
        MEMCPY(y.data_ptr(), rectified.data_ptr(), 4 * x.numel())
        return y
