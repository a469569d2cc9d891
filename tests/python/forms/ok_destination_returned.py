# SPDX-License-Identifier: MIT
# Destination style: returns the output that it was given. expected: pass
import torch


def run(x, out):
    return torch.clamp(x, min=0, out=out)
