# SPDX-License-Identifier: MIT
# Writes as much as it can. Its folder is small, memory, and its own. expected: pass
import torch
from torch import nn


try:
    for i in range(1000):
        with open(f"/dev/shm/candidate/fill{i}", "wb") as file:
            file.write(bytes(1 << 20))
except OSError:
    pass
else:
    raise RuntimeError("a gigabyte was written")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
