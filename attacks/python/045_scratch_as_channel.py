# SPDX-License-Identifier: MIT
# Leaves answers in its folder, for the other processes and the next candidate. Each process has a folder of its own:
# had one been found, the call would fail. expected: pass
import os

import torch
from torch import nn


FOUND = []
for place in ("/dev/shm", "/dev/shm/candidate", "/tmp", "/var/tmp"):
    path = os.path.join(place, "assay-attack-answers")
    try:
        FOUND += [path] if os.path.exists(path) else []
        with open(path, "w") as file:
            file.write("answers")
    except OSError:
        pass


class ModelNew(nn.Module):
    def forward(self, x):
        if FOUND:
            raise RuntimeError(f"another process left {FOUND}")
        return torch.relu(x)
