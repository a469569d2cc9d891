# SPDX-License-Identifier: MIT
# Writes to every descriptor that it finds while it is imported, that of its own text among them, which other
# processes of the candidate have, too. They are sealed: had one been written, the import would fail. expected: pass
import ctypes
import mmap
import os

import torch
from torch import nn


libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
FAILED = ctypes.c_void_p(-1).value


def works(attempt):
    try:
        return attempt()
    except OSError:
        return False


for fd in range(4, 256):
    attempts = [
        lambda: os.pwrite(fd, b"answers", 0) > 0,
        lambda: os.ftruncate(fd, 1 << 20) is None,
        lambda: libc.mmap(None, ctypes.c_size_t(4096), 3, mmap.MAP_SHARED, fd, ctypes.c_long(0)) not in (None, FAILED),
    ]
    if any(map(works, attempts)):
        raise RuntimeError(f"descriptor {fd} can be written")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
