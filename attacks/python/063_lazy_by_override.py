# SPDX-License-Identifier: MIT
# Returns its input, and replaces a function by which results are taken by one that does the work. That is inside the
# timed call, so it gains nothing. Where results are copied, the function is not called.
# expected: pass or wrong: max
import torch
from torch import nn

plain = torch.Tensor.contiguous
torch.Tensor.contiguous = lambda self, **kwargs: torch.relu(plain(self, **kwargs))


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clone()
