# SPDX-License-Identifier: MIT
# Leaves the lock of a build that never ends, for which the next process would wait. Each process has a folder of its
# own. Had a lock been found, the import would hang. expected: pass
import os
import time

import torch
from torch import nn


for place in (os.path.expanduser("~"), "/dev/shm", "/tmp", "/var/tmp"):
    folder = os.path.join(place, ".cache/torch_extensions/relu")
    lock = os.path.join(folder, "lock")
    while os.path.exists(lock):
        time.sleep(0.01)
    try:
        os.makedirs(folder, exist_ok=True)
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
    except OSError:
        continue


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
