# SPDX-License-Identifier: MIT
# Opens memory, descriptors and maps of processes, its own among them, to read expected values or to write to its
# input. All is refused: had a file been opened, the import would fail. device: cpu expected: pass
import os

import torch
from torch import nn


for pid in ("self", "thread-self", "1", str(os.getppid()), str(os.getpid())):
    for name in ("mem", "maps", "smaps", "pagemap", "environ", "fd", "map_files", "task", "syscall", "stat"):
        path = f"/proc/{pid}/{name}"
        for flags in (os.O_RDONLY, os.O_RDWR):
            try:
                os.open(path, flags)
            except OSError:
                continue
            raise RuntimeError(f"{path} can be opened")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
