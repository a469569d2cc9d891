# SPDX-License-Identifier: MIT
# Returns one result where the problem has two outputs. problem: two_outputs.lua expected: wrong: type: call: expected
# 2 tensors, got Tensor
import torch


def run(x):
    return torch.relu(x)
