# SPDX-License-Identifier: MIT
# Reads address 0 at import. expected: crash: SIGSEGV: loading: ended by SIGSEGV (Segmentation fault)
import torch
from torch import nn

import ctypes

ctypes.string_at(0)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
