# SPDX-License-Identifier: MIT
# Returns zeros, and names the stack of another thread as the result's memory. expected: wrong: max or wrong:
# nonfinite or rejected: protocol
import sys
import threading

import torch
from torch import nn


thread = threading.Thread(target=threading.Event().wait, daemon=True)
thread.start()


def named(self, results):
    plain(self, results)
    self.results.address[0] = thread.ident - 4 * self.outputs[0].nelement()


Call = sys.modules["assay_python.calls"].Call
plain, Call.name = Call.name, named


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)
