# SPDX-License-Identifier: MIT
# Returns zeros, and names its input's memory as the result's: most elements are right if inputs are mostly positive.
# expected: wrong: max
import sys

import torch
from torch import nn


def named(self, results):
    plain(self, results)
    self.results.address[0] = self.inputs[0].data_ptr()


Call = sys.modules["assay_python.calls"].Call
plain, Call.name = Call.name, named


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.zeros_like(x)
