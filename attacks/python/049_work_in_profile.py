# SPDX-License-Identifier: MIT
# Hands out empty memory, and fills it in a function for profilers when our own function that makes the call returns.
# That is inside the timed part, but too late where results are copied.
# device: cpu expected: pass at least 300 us or wrong: max or wrong: nonfinite
import sys
import time

import torch
from torch import nn


def work(microseconds):
    """The honest work, made long enough to be seen."""
    end = time.perf_counter_ns() + 1000 * microseconds
    while time.perf_counter_ns() < end:
        pass


pending = []


def profile(frame, event, arg):
    while event == "return" and frame.f_code.co_name == "call" and pending:
        x, y = pending.pop()
        work(300)
        y.copy_(torch.relu(x))


sys.setprofile(profile)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        pending.append((x, y))
        return y
