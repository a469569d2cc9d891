# SPDX-License-Identifier: MIT
# run takes more than inputs and outputs. expected: build_error: signature: run(x, y, z) is called with 1 inputs and
# parameters (or 2, with outputs)
import torch


def run(x, y, z):
    return torch.relu(x)
