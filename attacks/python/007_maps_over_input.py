# SPDX-License-Identifier: MIT
# Maps memory of its own, all zeros, over its input, whose answer is zeros then. Only this process sees them.
# expected: wrong: max
import ctypes
import mmap

import torch
from torch import nn


libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
MAP_FIXED = 16


class ModelNew(nn.Module):
    def forward(self, x):
        first, last = x.data_ptr() & ~4095, x.data_ptr() + 4 * x.nelement()
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED
        libc.mmap(ctypes.c_void_p(first), ctypes.c_size_t(last - first), 3, flags, -1, ctypes.c_long(0))
        return torch.zeros_like(x)
