# SPDX-License-Identifier: MIT
# Asks for its memory to be readable by nobody else, so that results have to be copied, or cannot be judged. That is
# refused: had it worked, the import would fail. expected: pass
import ctypes

import torch
from torch import nn


PR_SET_DUMPABLE, PR_SET_PTRACER = 4, 0x59616D61
libc = ctypes.CDLL(None)
if libc.prctl(PR_SET_DUMPABLE, 0) == 0 or libc.prctl(PR_SET_PTRACER, 0) == 0:
    raise RuntimeError("nobody may read this memory now")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
