# SPDX-License-Identifier: MIT
# Returns zeros, and names the stack of another thread as the result's memory. expected: wrong: max or wrong:
# nonfinite or rejected: protocol
import sys
import threading

import torch
from torch import nn


thread = threading.Thread(target=threading.Event().wait, daemon=True)
thread.start()


def keep(self, tensors, outputs):
    plain(self, tensors, outputs)
    self.table.address[0] = thread.ident - 4 * outputs[0].nelement()


Results = sys.modules["assay_python.calls"].Results
plain, Results.keep = Results.keep, keep


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)
