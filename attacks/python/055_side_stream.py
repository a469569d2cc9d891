# SPDX-License-Identifier: MIT
# Leaves the work to compiled code in a thread, as to another stream, and does not wait for it. Such code goes on without
# the interpreter's lock. expected: rejected: late or wrong: max or wrong: nonfinite
import threading

import torch
from torch import nn


@torch.jit.script
def relu_into(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    for _ in range(20):
        torch.clamp(x, min=1, out=y)
    return torch.clamp(x, min=0, out=y)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.zeros_like(x)
        threading.Thread(target=relu_into, args=(x, y)).start()
        return y
