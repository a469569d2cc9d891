# SPDX-License-Identifier: MIT
# Returns three results where the problem has two outputs. problem: two_outputs.lua expected: wrong: type: call:
# expected 2 tensors, got a tuple of 3
import torch


def run(x):
    return torch.relu(x), x.abs(), x
