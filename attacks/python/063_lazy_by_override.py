# SPDX-License-Identifier: MIT
# Replaces the copy of results by one that does nothing. What is in the judge's memory at the end of the call counts.
# expected: wrong: unwritten or wrong: max
import torch
from torch import nn


torch.Tensor.copy_ = lambda self, other, non_blocking=False: self


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
