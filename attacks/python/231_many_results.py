# SPDX-License-Identifier: MIT
# Returns zeros, and names more results than the problem has outputs. expected: rejected: protocol or wrong: max
import sys

import torch
from torch import nn


def keep(self, tensors, outputs):
    plain(self, tensors, outputs)
    self.table.count = 1 << 30


Results = sys.modules["assay_python.calls"].Results
plain, Results.keep = Results.keep, keep


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)
