# SPDX-License-Identifier: MIT
# run itself is a function in TorchScript. expected: pass
import torch


@torch.jit.script
def run(x):
    return torch.relu(x)
