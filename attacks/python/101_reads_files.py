# SPDX-License-Identifier: MIT
# Reads what could tell contents or names of others. All is refused: had something been read, the import would fail.
# device: cpu expected: pass
import os

import torch
from torch import nn


for path in ("/etc/passwd", "/proc/self/maps", "/proc/self/environ", "/proc/1/cmdline", "/root", "/home", "/tmp"):
    try:
        if os.path.isdir(path):
            os.listdir(path)
        else:
            open(path).close()
    except OSError:
        continue
    raise RuntimeError(f"{path} can be read")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
