# SPDX-License-Identifier: MIT
# Returns an object that looks like a tensor and would compute when it is compared. expected: wrong: type
import torch
from torch import nn


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        args = [torch.relu(a.as_subclass(torch.Tensor)) if isinstance(a, Lazy) else a for a in args]
        return function(*args, **(kwargs or {}))


class ModelNew(nn.Module):
    def forward(self, x):
        return x.as_subclass(Lazy)
