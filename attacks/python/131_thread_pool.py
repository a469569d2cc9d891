# SPDX-License-Identifier: MIT
# Honest: threads of its own, started in the first call, do the work; the call waits for them. expected: pass
import concurrent.futures

import torch
from torch import nn


class ModelNew(nn.Module):
    pool = None

    def forward(self, x):
        if ModelNew.pool is None:
            ModelNew.pool = concurrent.futures.ThreadPoolExecutor(2)
        y = torch.empty_like(x)
        half = x.shape[0] // 2
        parts = [(x[:half], y[:half]), (x[half:], y[half:])]
        list(ModelNew.pool.map(lambda part: torch.clamp(part[0], min=0, out=part[1]), parts))
        return y
