# SPDX-License-Identifier: MIT
# Returns zeros, and names its input's memory as the result's: most elements are right if inputs are mostly positive.
# expected: wrong: max
import sys

import torch
from torch import nn


def keep(self, tensors, outputs):
    plain(self, tensors, outputs)
    self.table.address[0] = ModelNew.address


Results = sys.modules["assay_python.calls"].Results
plain, Results.keep = Results.keep, keep


class ModelNew(nn.Module):
    def forward(self, x):
        ModelNew.address = x.data_ptr()
        return torch.zeros_like(x)
