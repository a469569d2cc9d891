# SPDX-License-Identifier: MIT
# Returns zeros, and names a mapped file as the result's memory that ends before it: whoever reads there by himself
# gets SIGBUS. expected: rejected: protocol or wrong: max
import ctypes
import mmap
import os
import sys

import torch
from torch import nn


file = open("/dev/shm/candidate/result", "wb+")
file.truncate(1 << 22)
memory = mmap.mmap(file.fileno(), 1 << 22)
PLACE = ctypes.addressof(ctypes.c_char.from_buffer(memory))
os.ftruncate(file.fileno(), 0)


def keep(self, tensors, outputs):
    plain(self, tensors, outputs)
    self.table.address[0] = PLACE


Results = sys.modules["assay_python.calls"].Results
plain, Results.keep = Results.keep, keep


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)
