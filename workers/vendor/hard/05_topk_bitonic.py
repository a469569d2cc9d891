# SPDX-License-Identifier: MIT
"""torch.topk, which does not say which of equal values comes first: expected to be found wrong on rows with ties."""
import torch


def run(x):
    values, indices = torch.topk(x, TOP, dim=-1)
    return values, indices
