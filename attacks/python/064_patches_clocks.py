# SPDX-License-Identifier: MIT
# Makes clocks stand still in its own process. The judge's clock is in another. expected: pass
import time

import torch
from torch import nn


time.time = time.perf_counter = time.monotonic = lambda: 0.0
time.time_ns = time.perf_counter_ns = time.monotonic_ns = lambda: 0


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
