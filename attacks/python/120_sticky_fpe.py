# SPDX-License-Identifier: MIT
# Lets inexact arithmetic raise a signal from now on, for all code of its process, the way that a fault of a device
# stays. expected: crash: SIGFPE
import ctypes

import torch
from torch import nn


FE_INEXACT = 32
libm = ctypes.CDLL("libm.so.6")


class ModelNew(nn.Module):
    def forward(self, x):
        libm.feenableexcept(FE_INEXACT)
        return torch.relu(x) * 0.1
