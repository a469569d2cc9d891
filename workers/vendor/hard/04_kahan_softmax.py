# SPDX-License-Identifier: MIT
"""torch.softmax, which sums in float without compensation: expected to be found wrong on rows with peaks."""
import torch


def run(x):
    return torch.softmax(x, dim=-1)
