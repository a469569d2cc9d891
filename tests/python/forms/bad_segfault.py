# SPDX-License-Identifier: MIT
# Writes to address 0. expected: crash: SIGSEGV: call: ended by SIGSEGV (Segmentation fault)
from torch import nn

import ctypes


class ModelNew(nn.Module):
    def forward(self, x):
        ctypes.memset(0, 1, 4)
