# SPDX-License-Identifier: MIT
# A pool of threads that lives as long as the process. expected: pass
import torch
from torch import nn

from concurrent.futures import ThreadPoolExecutor

POOL = ThreadPoolExecutor(2)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.cat(list(POOL.map(torch.relu, x.chunk(4))))
