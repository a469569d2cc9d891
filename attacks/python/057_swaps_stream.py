# SPDX-License-Identifier: MIT
# Makes every way to wait for torch's work return at once, and leaves the work to a thread. The judge waits for
# nothing of torch's: it reads what is there when the process stands still. expected: rejected: late or wrong: max or
# wrong: nonfinite
import threading
import time

import torch
from torch import nn


torch.cuda.synchronize = torch.cuda.set_stream = torch.jit.wait = lambda *args: None
torch.cuda.current_stream = torch.cuda.default_stream = lambda *args: None


def late(x, y):
    time.sleep(0.001)
    y.copy_(torch.relu(x))


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.zeros_like(x)
        threading.Thread(target=late, args=(x, y)).start()
        return y
