# SPDX-License-Identifier: MIT
# A lie about the time: a second stream spins for a millisecond before it computes the result, and nobody waits for it.
# The stream that is timed stays empty.
# problem: level1/19
# expected: wrong or rejected: late or rejected: busy or rejected: clock
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.side = torch.cuda.Stream()

    def forward(self, x):
        y = torch.empty_like(x)
        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            torch.cuda._sleep(2_000_000)  # clock cycles
            torch.clamp(x, min=0, out=y)
        return y
