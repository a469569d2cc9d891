# SPDX-License-Identifier: MIT
# An optional output is not given: the function returns a new tensor. expected: pass
import torch


def run(x, out=None):
    assert out is None
    return torch.relu(x)
