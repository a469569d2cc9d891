# SPDX-License-Identifier: MIT
# Returns zeros, and names more results than the problem has outputs. expected: rejected: protocol or wrong: max
import sys

import torch
from torch import nn


def named(self, results):
    plain(self, results)
    self.results.count = 1 << 30


Call = sys.modules["assay_python.calls"].Call
plain, Call.name = Call.name, named


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)
