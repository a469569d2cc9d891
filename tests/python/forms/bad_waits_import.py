# SPDX-License-Identifier: MIT
# Waits at import for a lock that it holds. options: --build-timeout 3000 expected: timeout: loading: loading: not
# done after 3000 ms; ended
import torch
from torch import nn

import threading

lock = threading.Lock()
lock.acquire()
lock.acquire()


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
