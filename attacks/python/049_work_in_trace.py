# SPDX-License-Identifier: MIT
# As work_in_profile, in a function for debuggers, which sees the last line of our own function that makes the call.
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


def trace(frame, event, arg):
    if frame.f_code.co_name != "call":
        return None
    while event == "return" and pending:
        x, y = pending.pop()
        work(300)
        y.copy_(torch.relu(x))
    return trace


sys.settrace(trace)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        pending.append((x, y))
        return y
