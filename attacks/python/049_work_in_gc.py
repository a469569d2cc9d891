# SPDX-License-Identifier: MIT
# Hands out memory that is filled when garbage is collected, after the call. expected: wrong: max or wrong: nonfinite
import gc

import torch
from torch import nn


pending = []


def collected(phase, info):
    while phase == "stop" and pending:
        x, y = pending.pop()
        y.copy_(torch.relu(x))


gc.callbacks.append(collected)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        pending.append((x, y))
        return y
