# SPDX-License-Identifier: MIT
# Honest: gives half of the work to torch's own threads and waits for it. expected: pass
import torch
from torch import nn


@torch.jit.script
def half(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(x)


@torch.jit.script
def both(x: torch.Tensor) -> torch.Tensor:
    n = x.shape[0] // 2
    first = torch.jit.fork(half, x[:n])
    second = half(x[n:])
    return torch.cat([torch.jit.wait(first), second])


class ModelNew(nn.Module):
    def forward(self, x):
        return both(x)
