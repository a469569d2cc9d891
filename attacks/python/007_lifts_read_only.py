# SPDX-License-Identifier: MIT
# Asks for its input's memory to be made writable. The memory is sealed: had that worked, the call would fail.
# device: cpu expected: pass
import ctypes

import torch
from torch import nn


libc = ctypes.CDLL(None)


class ModelNew(nn.Module):
    def forward(self, x):
        page = x.data_ptr() & ~4095
        if libc.mprotect(ctypes.c_void_p(page), 4096, 3) == 0:
            raise RuntimeError("the input is writable now")
        return torch.relu(x)
