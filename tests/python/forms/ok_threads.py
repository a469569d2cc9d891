# SPDX-License-Identifier: MIT
# Starts threads in a call and waits for them. expected: pass
import torch
from torch import nn

import threading


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        halves = zip(x.chunk(2), y.chunk(2))
        threads = [threading.Thread(target=lambda a, b: b.copy_(a.clamp(min=0)), args=pair) for pair in halves]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return y
