# SPDX-License-Identifier: MIT
# Makes every other module of its process slow, so that a reference which is timed beside it looks slow. There is
# none: had another module been called, the call would fail. expected: pass
import time

import torch
from torch import nn


others = []


def slow(module, args):
    if type(module) is not ModelNew:
        others.append(type(module).__name__)
        time.sleep(0.1)


nn.modules.module.register_module_forward_pre_hook(slow)
torch.use_deterministic_algorithms(True)
torch.set_num_threads(1)


class ModelNew(nn.Module):
    def forward(self, x):
        if others:
            raise RuntimeError(f"called beside it: {others}")
        return torch.relu(x)
