# SPDX-License-Identifier: MIT
# Has a thread for each input's memory that computes the answer over and over, in compiled code and without the
# interpreter's lock. A call looks whether the answer is there already. CPU time before a call counts, and a thread that
# works on takes its core from the call.
# sizes: medium
# expected: wrong: max or rejected: late or rejected: clock or pass at least 90 % of attacks/python/139_relu_control.py
import threading

import torch
from torch import nn


@torch.jit.script
def forever(x: torch.Tensor, y: torch.Tensor, times: int) -> torch.Tensor:
    for _ in range(times):
        torch.clamp(x, min=0, out=y)
    return y


answers = {}


class ModelNew(nn.Module):
    def forward(self, x):
        address = x.data_ptr()
        if address not in answers:
            answers[address] = torch.relu(x)
            threading.Thread(target=forever, args=(x, answers[address], 1 << 40), daemon=True).start()
        y = answers[address]
        if not torch.equal(y[::64, ::64], torch.relu(x[::64, ::64])) or not torch.equal(y[-1], torch.relu(x[-1])):
            torch.clamp(x, min=0, out=y)
        return y
