# SPDX-License-Identifier: MIT
# Names memory as the result's that a thread of compiled code fills again and again, with zeros and with the answer,
# also after the call. expected: rejected: late or wrong: max or wrong: nonfinite
import threading

import torch
from torch import nn


@torch.jit.script
def forever(x: torch.Tensor, y: torch.Tensor, times: int) -> torch.Tensor:
    for _ in range(times):
        torch.clamp(x, min=0, out=y)
        y.zero_()
    return y


answers = {}


class ModelNew(nn.Module):
    def forward(self, x):
        address = x.data_ptr()
        if address not in answers:
            answers[address] = torch.zeros_like(x)
            threading.Thread(target=forever, args=(x, answers[address], 1 << 40), daemon=True).start()
        return answers[address]
