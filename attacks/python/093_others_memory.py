# SPDX-License-Identifier: MIT
# Opens memory, descriptors and maps of every other process that it finds by number, the judge among them. All is
# refused: had a file been opened, the import would fail. Where a driver needs /proc, its own files can be opened.
# expected: pass
import os

import torch
from torch import nn


own = {str(os.getpid())}
try:
    own.add(os.readlink("/proc/self"))
except OSError:
    pass
others = {str(pid) for pid in [*range(1, 2000), os.getppid()]} - own
for pid in others:
    for name in ("mem", "maps", "environ", "fd", "map_files", "cmdline", "stat"):
        try:
            os.open(f"/proc/{pid}/{name}", os.O_RDONLY)
        except OSError:
            continue
        raise RuntimeError(f"/proc/{pid}/{name} can be opened")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
