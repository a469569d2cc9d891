# SPDX-License-Identifier: MIT
# Half of the rows on a second stream, which waits for the current stream and is waited for, by events.
# problem: level1/19
# expected: pass
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.side, self.begun, self.ended = torch.cuda.Stream(), torch.cuda.Event(), torch.cuda.Event()

    def forward(self, x):
        y, half = torch.empty_like(x), x.shape[0] // 2
        self.begun.record()
        self.side.wait_event(self.begun)
        with torch.cuda.stream(self.side):
            torch.clamp(x[half:], min=0, out=y[half:])
            self.ended.record()
        torch.clamp(x[:half], min=0, out=y[:half])
        torch.cuda.current_stream().wait_event(self.ended)
        return y
